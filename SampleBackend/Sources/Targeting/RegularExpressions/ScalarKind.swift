/// What anchors see in a scalar.
enum ScalarKind: UInt8, Sendable {
    /// The line feed.
    case newline
    /// A letter, a digit or `_` of ASCII.
    case word
    /// Anything else.
    case other
    /// The beginning or the end of the text.
    case edge

    /// The kind of a scalar.
    init(_ scalar: UInt32) {
        switch scalar {
        case 0x0A: self = .newline
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: self = .word
        default: self = .other
        }
    }
}
