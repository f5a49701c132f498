/// A type that is one family of the text: its head and its lines.
struct MetricFamily: Sendable, Hashable {
    /// The name.
    let name: String

    /// The type.
    let type: MetricType

    /// What the family is about, or nil for no such line.
    let help: String?

    /// The lines, in order.
    let samples: [MetricSample]
}
