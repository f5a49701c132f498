/// A type that is one line of the text: a name, labels and a value.
struct MetricSample: Sendable, Hashable {
    /// The name, with the suffix that the line has in its family.
    let name: String

    /// The labels as they are written, without braces.
    let labels: String

    /// The value as it is written.
    let value: String

    /// Makes a line of a number.
    ///
    /// - Parameters:
    ///   - name: The name, with its suffix.
    ///   - labels: The labels as they are written.
    ///   - value: The number.
    init(name: String, labels: String = "", value: Double) {
        self.init(name: name, labels: labels, text: Self.text(of: value))
    }

    /// Makes a line of a count, which is exact above 2⁵³ too.
    ///
    /// - Parameters:
    ///   - name: The name, with its suffix.
    ///   - labels: The labels as they are written.
    ///   - count: The count.
    init(name: String, labels: String = "", count: UInt64) {
        self.init(name: name, labels: labels, text: String(count))
    }

    /// Makes a line of what is written.
    private init(name: String, labels: String, text: String) {
        self.name = name
        self.labels = labels
        value = text
    }

    /// Writes a number as Prometheus reads it: `1`, `0.25`, `+Inf`, `-Inf`, `NaN`.
    static func text(of value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        let text = "\(value)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
