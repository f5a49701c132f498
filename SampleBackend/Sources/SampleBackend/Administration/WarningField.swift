/// Parses the field `Warning` (RFC 7234, 5.5).
enum WarningField: Sendable {
    /// The quoted texts of one or several values: `199 - "text", 199 - "text"`.
    static func texts(_ value: String) -> [String] {
        value.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
}
