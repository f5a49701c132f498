/// A text that is equal only to the same bytes.
///
/// Swift's strings are equal when they look alike: "é" may be one scalar or two. Conditions compare
/// as Firebase does, exactly.
struct ExactText: Sendable, Hashable {
    /// The text.
    let text: String

    /// Makes an exact text.
    ///
    /// - Parameter text: The text.
    init(_ text: String) {
        self.text = text
    }

    /// Whether the bytes are the same.
    static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the text: the same bytes have the same hash.
    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    /// Whether another text stands in it.
    ///
    /// - Parameter part: The text to find; an empty one is found everywhere.
    /// - Returns: Whether its bytes stand here in a row.
    func contains(_ part: ExactText) -> Bool {
        var own = text
        var other = part.text
        return own.withUTF8 { own in
            other.withUTF8 { other in
                unsafe Self.contains(own, other)
            }
        }
    }

    /// Whether bytes stand in others.
    private static func contains(
        _ bytes: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let first = unsafe part.first else { return true }
        guard bytes.count >= part.count else { return false }
        for start in 0...(bytes.count - part.count) where unsafe bytes[start] == first {
            var length = 1
            while length < part.count, unsafe bytes[start + length] == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
