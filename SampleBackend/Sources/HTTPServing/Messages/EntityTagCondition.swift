/// The value of `If-None-Match`: what the client already has.
///
/// Tags are compared weakly, as RFC 9110 (13.1.2) asks for `If-None-Match`: `W/"x"` matches `"x"`,
/// so a proxy that compresses and weakens the tag does not cost a download.
package struct EntityTagCondition: Sendable, Hashable {
    /// The tags listed, without `W/` and quotation marks.
    private var opaqueTags: [String] = []

    /// Whether the value was `*`: any document matches.
    private var matchesAny = false

    /// Reads the value of the field.
    ///
    /// A part of the list that is no tag is passed over: the worst that follows is a full answer.
    ///
    /// - Parameter fieldValue: The value, several fields joined by commas.
    package init(_ fieldValue: String) {
        var rest = fieldValue.utf8[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"):
                rest.removeFirst()
            case UInt8(ascii: "\""):
                rest.removeFirst()
                let tag = rest.prefix { $0 != UInt8(ascii: "\"") }
                rest = rest[tag.endIndex...]
                guard rest.popFirst() != nil else { return }
                opaqueTags.append(String(Substring(tag)))
            case UInt8(ascii: "W") where rest.starts(with: "W/\"".utf8):
                rest.removeFirst(2)
            default:
                let unquoted = rest.prefix { $0 != UInt8(ascii: ",") }
                if Substring(unquoted).trimmingSpaces == "*" { matchesAny = true }
                rest = rest[unquoted.endIndex...]
            }
        }
    }

    /// Whether the client has what has this tag, without `W/` and quotation marks.
    package func matches(_ opaqueTag: String) -> Bool {
        matchesAny || opaqueTags.contains(opaqueTag)
    }
}

extension Substring {
    /// The text without spaces and tabs at its end; what comes before it was skipped already.
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
