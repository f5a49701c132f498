extension String {
    /// Returns a Boolean value that indicates whether the text has more characters than a limit.
    ///
    /// All limits on text count Unicode scalars. A visible character, a letter with its combining
    /// marks, may have any number of them, so a limit on visible characters would bound neither
    /// memory nor time.
    ///
    /// - Parameter limit: The most characters, in Unicode scalars.
    /// - Returns: True when there are more; no more of the text is read than needed.
    public func isLonger(than limit: Int) -> Bool {
        let bytes = utf8.count
        if bytes <= limit { return false }
        return bytes / 4 > limit || characterCount > limit
    }

    /// The number of characters as limits count them: Unicode scalars.
    public var characterCount: Int { unicodeScalars.count }

    /// Returns a Boolean value that indicates whether the bytes of both texts are the same; Swift's
    /// strings are equal when they are canonically equivalent.
    public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// A Boolean value that indicates whether at most 256 combining marks follow each other: no valid
    /// name has more.
    ///
    /// Swift compares and hashes strings by their normal form, whose time grows with the square of the
    /// marks in a row. A text that somebody else has written has to be checked, or compared by its
    /// bytes, before it is a key of a dictionary.
    public var hasBoundedMarks: Bool {
        if utf8.allSatisfy({ $0 < 0x80 }) { return true }
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
    /// Swift's `<` compares Unicode's normal form, and is no strict weak order for names that are not
    /// in it: the result of sorting by it depends on the order before.
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

    /// The beginning of the text for a message: at most 60 Unicode scalars.
    public var shortened: String {
        let scalars = unicodeScalars.prefix(60)
        return scalars.endIndex == unicodeScalars.endIndex
            ? self : String(String.UnicodeScalarView(scalars)) + "…"
    }
}

extension Sequence<String> {
    /// The names sorted by their UTF-8, so that equal sets of names give the same order in every
    /// process.
    public func sortedByBytes() -> [String] { sorted { $0.precedes($1) } }
}
