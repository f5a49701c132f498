/// The value of `If-None-Match`: the entity tags that the client has cached.
///
/// Tags are compared weakly, as RFC 9110 (13.1.2) requires for `If-None-Match`: `W/"x"` matches
/// `"x"`, so a proxy that compresses and weakens the tag does not cause another download.
package struct EntityTagCondition: Sendable, Hashable {
    private let fieldValue: String

    /// Creates a condition from the value of the field, several fields joined by commas.
    package init(_ fieldValue: String) {
        self.fieldValue = fieldValue
    }

    /// True when the client has the document with this tag, given without `W/` and quotation marks.
    ///
    /// A malformed part of the list is skipped: at worst the client gets a full response. `*` matches
    /// any document.
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
                if Substring(unquoted).trimmingSpaces == "*" { return true }
                rest = rest[unquoted.endIndex...]
            }
        }
        return false
    }
}

extension Substring {
    /// The text without trailing spaces and tabs; the caller has skipped leading ones.
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
