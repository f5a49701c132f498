import Foundation

/// A text that compares by its bytes, as a key of tables of names.
///
/// Swift strings are equal when they are canonically equivalent: "é" can be one scalar or two, and
/// the Kelvin sign is a "K". Names in data, such as those of users, groups, settings and
/// conditions, and the keys of JSON objects, are bytes; conditions compare bytes, as Firebase does.
public struct ExactText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text.
    public let text: String

    /// The first eight bytes as a big-endian number, padded with zeros; it decides most
    /// comparisons.
    private let prefix: UInt64

    /// Creates an exact text.
    public init(_ text: String) {
        self.text = text
        var text = text
        prefix = text.withUTF8 { bytes in
            guard bytes.count < 8 else {
                return unsafe UInt64(
                    bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
            }
            var prefix: UInt64 = 0
            for index in 0..<bytes.count {
                prefix |= UInt64(unsafe bytes[index]) << UInt64(56 - 8 * index)
            }
            return prefix
        }
    }

    /// Creates an exact text.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The text.
    public var description: String { text }

    /// Returns a Boolean value that indicates whether the bytes are the same.
    public static func == (left: ExactText, right: ExactText) -> Bool {
        let count = left.text.utf8.count
        guard left.prefix == right.prefix, count == right.text.utf8.count else { return false }
        return count <= 8 || left.order(to: right) == 0
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(prefix)
        guard text.utf8.count > 8 else { return }
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// True when the bytes sort before those of another text.
    @inline(__always)
    package func precedes(_ other: ExactText) -> Bool {
        if prefix != other.prefix { return prefix < other.prefix }
        let (count, otherCount) = (text.utf8.count, other.text.utf8.count)
        // The shorter text is a prefix of the other.
        if min(count, otherCount) <= 8 { return count < otherCount }
        return order(to: other) < 0
    }

    /// Negative when the bytes sort before those of another text, 0 when they are the same.
    @inline(never)
    private func order(to other: ExactText) -> Int {
        var (left, right) = (text, other.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                let difference = left.count - right.count
                guard let own = left.baseAddress, let others = right.baseAddress else {
                    return difference
                }
                let order = unsafe memcmp(own, others, min(left.count, right.count))
                return order != 0 ? Int(order) : difference
            }
        }
    }
}

extension Sequence<ExactText> {
    /// The texts sorted by their UTF-8.
    public func sortedByBytes() -> [String] { sorted { $0.precedes($1) }.map(\.text) }
}

extension Sequence<String> {
    /// The distinct names, compared by their bytes.
    public var exactNames: Set<ExactText> { Set(lazy.map { ExactText($0) }) }
}

extension Dictionary where Key == ExactText {
    /// The value of a name, compared by its bytes.
    @inlinable
    public subscript(name name: String) -> Value? { self[ExactText(name)] }
}

extension Set<ExactText> {
    /// Returns a Boolean value that indicates whether the set has a name.
    ///
    /// - Parameter name: The name, compared by its bytes.
    /// - Returns: True if it does.
    public func contains(name: String) -> Bool { contains(ExactText(name)) }
}
