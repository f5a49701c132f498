extension String {
    /// Returns a Boolean value that indicates whether the text has more characters than a limit.
    ///
    /// All text limits count Unicode scalars. A visible character can have any number of combining
    /// marks, so a limit on visible characters would bound neither memory nor time.
    ///
    /// - Parameter limit: Maximum number of characters, in Unicode scalars.
    /// - Returns: True if there are more; reads no more of the text than needed.
    public func isLonger(than limit: Int) -> Bool {
        let bytes = utf8.count
        if bytes <= limit { return false }
        return bytes / 4 > limit || characterCount > limit
    }

    /// The number of characters as limits count them, in Unicode scalars.
    public var characterCount: Int { unicodeScalars.count }

    /// Returns a Boolean value that indicates whether both texts have the same bytes; Swift strings
    /// are equal if they are canonically equivalent.
    public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// A Boolean value that indicates whether the text has control or format characters or line breaks,
    /// which a page or a terminal does not show; an emoji may be joined of several.
    package var hasInvisibleCharacters: Bool { !allSatisfy(\.isVisible) }

    /// A Boolean value that indicates whether all characters are ASCII.
    package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

    /// A Boolean value that indicates whether at most 256 combining marks follow each other; no
    /// valid name has more.
    ///
    /// Swift compares and hashes strings by their normal form, which takes time quadratic in the
    /// number of consecutive marks. Untrusted text must be checked, or compared by its bytes,
    /// before it becomes a dictionary key.
    public var hasBoundedMarks: Bool {
        if isASCII { return true }
        var marks = 0
        for scalar in unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            if marks > 256 { return false }
        }
        return true
    }

    /// Returns a Boolean value that indicates whether the UTF-8 of this name sorts before another's.
    ///
    /// Swift's `<` compares Unicode's normal form, and is not a strict weak order for names in
    /// other forms: the result of sorting would depend on the initial order.
    public func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

    /// Splits the text at each occurrence of a separator, compared byte by byte.
    ///
    /// - Parameter separator: The separator; not empty.
    /// - Returns: The parts, one more than there are occurrences.
    public func parts(between separator: String) -> [String] {
        let bytes = Array(utf8)
        let mark = Array(separator.utf8)
        var parts: [String] = []
        var start = 0
        var index = 0
        while index + mark.count <= bytes.count {
            guard bytes[index] == mark[0], bytes[index..<(index + mark.count)].elementsEqual(mark)
            else {
                index += 1
                continue
            }
            parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
            index += mark.count
            start = index
        }
        return parts + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    /// The start of the text for a message, at most 60 Unicode scalars.
    public var shortened: String {
        let scalars = unicodeScalars.prefix(60)
        return scalars.endIndex == unicodeScalars.endIndex
            ? self : String(String.UnicodeScalarView(scalars)) + "…"
    }
}

extension Character {
    fileprivate var isVisible: Bool {
        let scalars = unicodeScalars
        let isEmoji = scalars.first.map { $0.properties.isEmoji && !$0.isASCII } ?? false
        let endsJoined = scalars.last == Self.zeroWidthJoiner
        return scalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .format: scalar == Self.zeroWidthJoiner && isEmoji && !endsJoined
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    private static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"
}

extension Sequence<String> {
    /// The names sorted by their UTF-8, so that equal sets of names have the same order in every
    /// process.
    public func sortedByBytes() -> [String] { sorted { $0.precedes($1) } }
}
