/// A type that says which series of which family a handler is.
struct SeriesIdentity: Sendable, Hashable {
    /// The family's name.
    let name: String

    /// The labels within the family.
    let labels: MetricLabels
}
