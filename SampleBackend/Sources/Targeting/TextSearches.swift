/// Searches texts for parts by bytes, each in linear time (Knuth, Morris, Pratt).
///
/// All parts share two arrays, so that a search does no reference counting.
struct TextSearches: Sendable {
    /// Parts longer than this are never found, since no signal is longer.
    private static let maximumBytes = 4 * Signals.maximumValueLength

    /// The parts, UTF-8.
    private var bytes: [UInt8] = []

    /// For each prefix of a part, the length of its longest border.
    private var borders: [UInt16] = []

    /// The ranges of the parts in ``bytes`` and ``borders``; nil when a part is longer than any
    /// signal.
    private var ranges: [Range<Int>?] = []

    var count: Int { ranges.count }

    /// Prepares a search for `part`; an empty part is found in every text.
    mutating func append(_ part: String) {
        guard part.utf8.count <= Self.maximumBytes else {
            ranges.append(nil)
            return
        }
        let part = Array(part.utf8)
        var borders = Array(repeating: UInt16(0), count: part.count)
        var length = 0
        for index in part.indices.dropFirst() {
            while length > 0, part[index] != part[length] { length = Int(borders[length - 1]) }
            if part[index] == part[length] { length += 1 }
            borders[index] = UInt16(length)
        }
        ranges.append(bytes.count..<(bytes.count + part.count))
        bytes += part
        self.borders += borders
    }

    /// True when a text contains the part with an index.
    func isFound(_ part: Int, in text: String) -> Bool {
        guard let range = ranges[part] else { return false }
        guard !range.isEmpty else { return true }
        let start = range.lowerBound
        let first = bytes[start]
        var text = text
        return text.withUTF8 { text in
            guard text.count >= range.count else { return false }
            var length = 0
            for index in 0..<text.count {
                let byte = unsafe text[index]
                if length == 0, byte != first { continue }
                while length > 0, byte != bytes[start + length] {
                    length = Int(borders[start + length - 1])
                }
                if byte == bytes[start + length] { length += 1 }
                if length == range.count { return true }
            }
            return false
        }
    }
}
