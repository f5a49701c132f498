/// A path in a JSON value: the names and indexes that lead to a place (RFC 6901).
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// Member names and element indexes, from the outermost.
    public let tokens: [String]

    /// Creates a pointer.
    ///
    /// - Parameter tokens: Names and indexes, unescaped.
    public init(tokens: [String]) { self.tokens = tokens }

    /// Parses a pointer such as `/parameterGroups/Home/parameters/a~1b`; nil when it is malformed.
    ///
    /// - Parameter text: The pointer; "" points to the whole value.
    public init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "/") else {
            guard text.isEmpty else { return nil }
            tokens = []
            return
        }
        var tokens: [String] = []
        for part in text.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            // No member has such a name.
            guard let token = Self.unescaped(part), token.hasBoundedMarks else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// Decodes `~0` to `~` and `~1` to `/`; nil for any other `~`.
    private static func unescaped(_ part: Substring.UTF8View) -> String? {
        guard part.contains(UInt8(ascii: "~")) else { return String(Substring(part)) }
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The pointer as text.
    public var description: String {
        tokens.map { token in
            "/" + token.replacing("~", with: "~0").replacing("/", with: "~1")
        }.joined()
    }

    /// Returns a Boolean value that indicates whether another place lies inside this one.
    ///
    /// - Parameter other: The other place.
    /// - Returns: False for this place itself.
    public func contains(_ other: JSONPointer) -> Bool {
        other.tokens.count > tokens.count
            && zip(tokens, other.tokens).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Returns a Boolean value that indicates whether the names are the same, byte by byte.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.elementsEqual(right.tokens) { $0.hasSameBytes(as: $1) }
    }

    /// Hashes the names' bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.map { ExactText($0) })
    }
}
