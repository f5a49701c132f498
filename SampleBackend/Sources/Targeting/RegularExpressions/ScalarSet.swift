/// A set of Unicode scalars: what one place of a regular expression accepts.
struct ScalarSet: Sendable, Hashable {
    /// The greatest scalar.
    static let maximum: UInt32 = 0x10FFFF

    /// The scalars, in order; no two ranges touch.
    private(set) var ranges: [ClosedRange<UInt32>]

    /// Makes a set of ranges in any order.
    ///
    /// - Parameter ranges: The scalars.
    init(_ ranges: [ClosedRange<UInt32>] = []) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                let upper = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound...upper
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    /// Makes a set of one scalar.
    ///
    /// - Parameter scalar: The scalar.
    init(_ scalar: Unicode.Scalar) {
        ranges = [scalar.value...scalar.value]
    }

    /// All scalars.
    static let all = ScalarSet([0...maximum])

    /// The line feed.
    static let newline = ScalarSet([0x0A...0x0A])

    /// `\d`.
    static let digits = ScalarSet([0x30...0x39])

    /// `\s`.
    static let spaces = ScalarSet([0x09...0x0A, 0x0C...0x0D, 0x20...0x20])

    /// `\w`.
    static let words = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

    /// The classes between `[:` and `:]`.
    static let named: [String: ScalarSet] = [
        "alnum": ScalarSet([0x30...0x39, 0x41...0x5A, 0x61...0x7A]),
        "alpha": ScalarSet([0x41...0x5A, 0x61...0x7A]),
        "ascii": ScalarSet([0...0x7F]),
        "blank": ScalarSet([0x09...0x09, 0x20...0x20]),
        "cntrl": ScalarSet([0...0x1F, 0x7F...0x7F]),
        "digit": digits,
        "graph": ScalarSet([0x21...0x7E]),
        "lower": ScalarSet([0x61...0x7A]),
        "print": ScalarSet([0x20...0x7E]),
        "punct": ScalarSet([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]),
        "space": ScalarSet([0x09...0x0D, 0x20...0x20]),
        "upper": ScalarSet([0x41...0x5A]),
        "word": words,
        "xdigit": ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66]),
    ]

    /// All other scalars.
    var inverted: ScalarSet {
        var others: [ClosedRange<UInt32>] = []
        var start: UInt32 = 0
        for range in ranges {
            if range.lowerBound > start { others.append(start...(range.lowerBound - 1)) }
            start = range.upperBound + 1
        }
        if start <= Self.maximum { others.append(start...Self.maximum) }
        return ScalarSet(others)
    }

    /// The scalars of both sets.
    ///
    /// - Parameter other: The other set.
    /// - Returns: The union.
    func union(_ other: ScalarSet) -> ScalarSet {
        ScalarSet(ranges + other.ranges)
    }

    /// Whether a scalar is in it.
    ///
    /// - Parameter scalar: The scalar's number.
    /// - Returns: Whether one of the ranges has it.
    func contains(_ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }
}
