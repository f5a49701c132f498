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

    /// The beginning of the text, for a message: at most 60 characters.
    public var shortened: String {
        let scalars = unicodeScalars.prefix(60)
        return scalars.endIndex == unicodeScalars.endIndex
            ? self : String(String.UnicodeScalarView(scalars)) + "…"
    }
}
