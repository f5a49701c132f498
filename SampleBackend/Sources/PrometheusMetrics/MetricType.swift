/// The types of families that the text has.
enum MetricType: String, Sendable {
    /// A number that only grows.
    case counter

    /// A number that goes up and down.
    case gauge

    /// Numbers by buckets, with their sum and count.
    case histogram

    /// Gives the names that a family takes for itself: its own and those of its lines.
    ///
    /// - Parameter name: The family's name.
    /// - Returns: The names, its own first.
    func reservedNames(of name: String) -> [String] {
        self == .histogram
            ? [name, name + "_bucket", name + "_sum", name + "_count"] : [name]
    }
}
