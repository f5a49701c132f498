/// A search for a part of a text by bytes, in linear time (Knuth, Morris, Pratt).
///
/// A class, so that taking it out of a list counts one reference, not one for each array.
final class TextSearch: Sendable {
    /// A longer part is never found, since no signal is longer.
    private static let maximumBytes = 4 * Signals.maximumValueLength

    /// The part, UTF-8; nil when it is longer than any signal.
    private let part: [UInt8]?

    /// For each prefix of the part, the length of its longest border.
    private let borders: [UInt16]

    /// Prepares a search for `part`; an empty one is found in every text.
    init(_ part: String) {
        guard part.utf8.count <= Self.maximumBytes else {
            self.part = nil
            borders = []
            return
        }
        let bytes = Array(part.utf8)
        var borders = Array(repeating: UInt16(0), count: bytes.count)
        var length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = Int(borders[length - 1]) }
            if bytes[index] == bytes[length] { length += 1 }
            borders[index] = UInt16(length)
        }
        self.part = bytes
        self.borders = borders
    }

    /// True when a text contains the bytes of the part.
    func isFound(in text: String) -> Bool {
        guard let part else { return false }
        guard let first = part.first else { return true }
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count >= part.count else { return false }
            var length = 0
            for index in 0..<bytes.count {
                let byte = unsafe bytes[index]
                if length == 0, byte != first { continue }
                while length > 0, byte != part[length] { length = Int(borders[length - 1]) }
                if byte == part[length] { length += 1 }
                if length == part.count { return true }
            }
            return false
        }
    }
}
