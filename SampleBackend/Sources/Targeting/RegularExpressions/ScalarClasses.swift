/// Unicode split into classes of scalars that a regular expression does not tell apart.
struct ScalarClasses: Sendable {
    /// What anchors see in a scalar.
    enum Kind: Sendable, Hashable {
        /// The line feed.
        case newline
        /// A letter, a digit or `_`.
        case word
        /// Anything else.
        case other
        /// The beginning or the end of the text.
        case edge
    }

    /// The first scalar of each class, in order.
    private let starts: [UInt32]

    /// The class of each ASCII character.
    let ascii: [Int32]

    /// The kind of each class.
    let kinds: [Kind]

    /// The number of classes.
    var count: Int { starts.count }

    /// Splits Unicode.
    ///
    /// - Parameter sets: The sets that must be unions of classes.
    init(_ sets: [ScalarSet]) {
        var bounds: Set<UInt32> = [0]
        for range in (sets + [.words, .newline]).lazy.flatMap(\.ranges) {
            bounds.insert(range.lowerBound)
            if range.upperBound < ScalarSet.maximum { bounds.insert(range.upperBound + 1) }
        }
        starts = bounds.sorted()
        kinds = starts.map { start in
            ScalarSet.words.contains(start) ? .word : start == 0x0A ? .newline : .other
        }
        var ascii: [Int32] = []
        for scalar: UInt32 in 0..<128 {
            ascii.append(Int32(Self.index(of: scalar, in: starts)))
        }
        self.ascii = ascii
    }

    /// The class of a scalar.
    ///
    /// - Parameter scalar: The scalar.
    /// - Returns: The class, from 0.
    func index(of scalar: Unicode.Scalar) -> Int {
        scalar.value < 128
            ? Int(ascii[Int(scalar.value)]) : Self.index(of: scalar.value, in: starts)
    }

    /// The classes of a set.
    ///
    /// - Parameter set: One of those that Unicode was split for.
    /// - Returns: The classes, as ranges in order.
    func indices(of set: ScalarSet) -> [ClosedRange<Int>] {
        set.ranges.map {
            Self.index(of: $0.lowerBound, in: starts)...Self.index(of: $0.upperBound, in: starts)
        }
    }

    /// The last class that begins at a scalar or before.
    private static func index(of scalar: UInt32, in starts: [UInt32]) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
