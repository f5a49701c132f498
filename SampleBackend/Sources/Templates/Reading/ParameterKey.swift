/// A key that a parameter may have, by Firebase's rule: a letter or `_`, then letters, digits and
/// `_`.
struct ParameterKey: Sendable, Hashable {
    /// The key.
    let text: String

    /// Makes the key nearest to a text: `_` for each character that a key may not hold, and before
    /// a digit at the beginning.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - maximumLength: The most characters that are taken of the text.
    init(nearest text: String, maximumLength: Int) {
        var key = ""
        for character in text.prefix(maximumLength) {
            key.append(character.utf8.allSatisfy(Self.isWord) ? character : "_")
        }
        let startsWell = key.utf8.first.map { Self.isWord($0) && !Self.isDigit($0) } ?? false
        self.text = startsWell ? key : "_" + key
    }

    /// Whether a text follows the rule.
    static func isValid(_ key: String) -> Bool {
        guard let first = key.utf8.first, !isDigit(first) else { return false }
        return key.utf8.allSatisfy(isWord)
    }

    /// Whether a byte is an ASCII letter, a digit or `_`.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"):
            true
        default: isDigit(byte)
        }
    }

    /// Whether a byte is a digit.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
