/// A language tag that stands for itself and for all tags that extend it (RFC 4647, 3.3.1).
///
/// `de` includes `de-AT` and `DE`, `zh-Hans` includes `zh-Hans-CN`. Case does not count, and `_`
/// separates as `-` does.
struct LanguageRange: Sendable, Hashable {
    /// In lowercase, with `-` between subtags.
    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = text.utf8.map(Self.folded)
    }

    /// True when a tag is this one or extends it.
    func includes(_ tag: String) -> Bool {
        var tag = tag
        return tag.withUTF8 { tag in
            guard tag.count >= bytes.count else { return false }
            for index in bytes.indices
            where unsafe Self.folded(tag[index]) != bytes[index] {
                return false
            }
            if tag.count == bytes.count { return true }
            return unsafe Self.folded(tag[bytes.count]) == UInt8(ascii: "-")
        }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "_"): UInt8(ascii: "-")
        default: byte
        }
    }
}
