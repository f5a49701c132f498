/// A text that regular expressions are looked for in, decoded once for all of them.
struct SearchedText: Sendable {
    /// The text.
    let text: String

    /// Its scalars; nil when all are ASCII, whose bytes need no decoding.
    let scalars: [UInt32]?

    /// Decodes a text.
    init(_ text: String) {
        self.text = text
        var bytes = text
        // All bytes at once: a loop that may end early is not vectorized.
        let isASCII = bytes.withUTF8 { unsafe $0.reduce(0, |) } < 0x80
        scalars = isASCII ? nil : text.unicodeScalars.map(\.value)
    }
}
