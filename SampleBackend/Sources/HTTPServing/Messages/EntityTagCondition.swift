/// The value of `If-None-Match`: the entity tags that the client has cached.
///
/// Uses the weak comparison that RFC 9110 (13.1.2) requires for `If-None-Match`: `W/"x"` matches
/// `"x"`. A proxy that compresses the body and weakens the tag therefore causes no further
/// download.
package struct EntityTagCondition: Sendable, Hashable {
    private let fieldValue: String

    /// Creates a condition from the value of the field; repeated fields are joined by commas.
    package init(_ fieldValue: String) {
        self.fieldValue = fieldValue
    }

    /// True when the client has the document with this tag, which has no `W/` and no quotation
    /// marks.
    ///
    /// Malformed parts of the list are skipped; at worst the client receives a full response. `*`
    /// matches any document.
    package func matches(_ opaqueTag: String) -> Bool {
        var rest = fieldValue.utf8[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"):
                rest.removeFirst()
            case UInt8(ascii: "\""):
                rest.removeFirst()
                let tag = rest.prefix { $0 != UInt8(ascii: "\"") }
                rest = rest[tag.endIndex...]
                guard rest.popFirst() != nil else { return false }
                if tag.elementsEqual(opaqueTag.utf8) { return true }
            case UInt8(ascii: "W") where rest.starts(with: "W/\"".utf8):
                rest.removeFirst(2)
            default:
                let unquoted = rest.prefix { $0 != UInt8(ascii: ",") }
                if Self.isAsterisk(unquoted) { return true }
                rest = rest[unquoted.endIndex...]
            }
        }
        return false
    }

    /// True for `*`, with spaces and tabs after it; the caller has skipped leading ones.
    private static func isAsterisk(_ text: Substring.UTF8View) -> Bool {
        text.first == UInt8(ascii: "*")
            && text.dropFirst().allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
