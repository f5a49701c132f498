/// A type that reads the field `Warning` (RFC 7234, 5.5).
enum WarningField: Sendable {
    /// The texts of a field's values.
    ///
    /// - Parameter value: The value, or several joined by commas: `199 - "text", 199 - "text"`.
    /// - Returns: The texts between quotation marks.
    static func texts(_ value: String) -> [String] {
        value.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
}
