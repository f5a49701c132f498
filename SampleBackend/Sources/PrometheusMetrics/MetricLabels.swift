/// A type that has the labels of a series as they are written: sorted, escaped, without braces.
///
/// As there is one way to write them, equal texts are equal labels.
struct MetricLabels: Sendable, Hashable, Comparable {
    /// The labels of the series that takes what is over the limit of series.
    static let overflow = MetricLabels([("metrics_overflow", "true")], maximumValueLength: 4)

    /// For example `route="/activeconfig",status="200"`; empty when there are none.
    let text: String

    /// Makes labels of dimensions.
    ///
    /// Of dimensions that have the same name once it is sanitized, the last one counts: the text
    /// may name a label only once.
    ///
    /// - Parameters:
    ///   - dimensions: Names and values, in any order.
    ///   - maximumValueLength: The most Unicode scalars of a value; the rest is cut off.
    init(_ dimensions: [(String, String)], maximumValueLength: Int) {
        var values: [String: String] = [:]
        for (name, value) in dimensions { values[MetricName.label(name)] = value }
        text = values.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(Self.escaped($0.value, maximumValueLength))\"" }
            .joined(separator: ",")
    }

    /// Orders labels as they are written.
    static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Writes a value so that it may stand between quotation marks.
    private static func escaped(_ value: String, _ maximumLength: Int) -> String {
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars.prefix(max(0, maximumLength)) {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
