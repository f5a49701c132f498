extension String {
    /// Whether the text has more characters than a limit.
    ///
    /// All limits on text count Unicode scalars. What looks like one character, a letter with its
    /// combining marks, may have any number of them, so that a limit on those would bound neither
    /// memory nor time.
    ///
    /// - Parameter limit: The most characters.
    /// - Returns: Whether there are more; no more of the text is looked at than that takes.
    public func isLonger(than limit: Int) -> Bool {
        let bytes = utf8.count
        if bytes <= limit { return false }
        return bytes / 4 > limit || characterCount > limit
    }

    /// The number of characters as limits count them: Unicode scalars.
    public var characterCount: Int { unicodeScalars.count }

    /// Whether the bytes of another text are the same; Swift's strings are equal when they look alike.
    public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The parts between the places where a text stands, byte by byte.
    ///
    /// - Parameter separator: The text; not empty.
    /// - Returns: The parts, one more than there are places.
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

    /// The beginning of the text, for a message: at most 60 characters.
    public var shortened: String {
        let scalars = unicodeScalars.prefix(60)
        return scalars.endIndex == unicodeScalars.endIndex
            ? self : String(String.UnicodeScalarView(scalars)) + "…"
    }
}
