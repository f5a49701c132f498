/// A text that is compared by its bytes.
///
/// Swift's strings are equal when they are canonically equivalent: "é" may be one scalar or two.
/// Conditions compare exactly, as Firebase does.
public struct ExactText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text.
    public let text: String

    /// Creates an exact text.
    public init(_ text: String) {
        self.text = text
    }

    /// Creates an exact text.
    public init(stringLiteral value: String) {
        text = value
    }

    /// The text.
    public var description: String { text }

    /// Returns a Boolean value that indicates whether the bytes are the same.
    public static func == (left: ExactText, right: ExactText) -> Bool {
        var (left, right) = (left.text, right.text)
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<left.count where unsafe left[index] != right[index] {
                    return false
                }
                return true
            }
        }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
