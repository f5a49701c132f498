/// The set of Unicode scalars that a position of a regular expression accepts.
struct ScalarSet: Sendable, Hashable {
    static let maximum: UInt32 = 0x10FFFF

    /// The scalars in order; no two ranges are adjacent.
    private(set) var ranges: [ClosedRange<UInt32>]

    /// Creates a set from ranges in any order.
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

    init(_ scalar: Unicode.Scalar) {
        ranges = [scalar.value...scalar.value]
    }

    static let all = ScalarSet([0...maximum])

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

    func union(_ other: ScalarSet) -> ScalarSet {
        ScalarSet(ranges + other.ranges)
    }

    func contains(_ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }
}

extension ScalarSet {
    /// The scalars, and those that differ from them only in case, by Unicode's simple case folding,
    /// as in RE2.
    var caseInsensitive: ScalarSet {
        var added = ranges
        for range in ranges {
            var index = Self.firstPair(from: range.lowerBound)
            while index < Self.casePairs.count, Self.casePairs[index].scalar <= range.upperBound {
                let other = Self.casePairs[index].other
                added.append(other...other)
                index += 1
            }
        }
        return added.count == ranges.count ? self : ScalarSet(added)
    }

    /// The index of the first pair whose scalar is not less than `scalar`.
    private static func firstPair(from scalar: UInt32) -> Int {
        var (low, high) = (0, casePairs.count)
        while low < high {
            let middle = (low + high) / 2
            if casePairs[middle].scalar < scalar { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Scalars and their other case, in both directions, sorted.
    private static let casePairs: [(scalar: UInt32, other: UInt32)] = {
        var families: [UInt32: [UInt32]] = [:]
        // The blocks that contain letters with two cases.
        let blocks: [ClosedRange<UInt32>] = [
            0x41...0x7A, 0xB5...0x587, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF,
            0x1D79...0x1D8E, 0x1E00...0x1FFF, 0x2126...0x2188, 0x24B6...0x24E9, 0x2C00...0x2D2D,
            0xA640...0xA7FF, 0xAB53...0xABBF, 0xFF21...0xFF5A, 0x10400...0x104FB,
            0x10570...0x105BC, 0x10C80...0x10CF2, 0x118A0...0x118DF, 0x16E40...0x16E7F,
            0x1E900...0x1E943,
        ]
        for value in blocks.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            families[key(scalar), default: []].append(value)
        }
        return families.values.flatMap { family in
            family.flatMap { scalar in
                family.filter { $0 != scalar }.map { (scalar: scalar, other: $0) }
            }
        }.sorted { $0 < $1 }
    }()

    /// The key that the cases of a letter share: the lower case of its upper case.
    private static func key(_ scalar: Unicode.Scalar) -> UInt32 {
        // The upper case of a dotless ı is I, but the two are not a pair: only Turkish treats them
        // as one.
        if scalar == "\u{131}" { return scalar.value }
        let upper = single(scalar.properties.uppercaseMapping) ?? scalar
        return (single(upper.properties.lowercaseMapping) ?? upper).value
    }

    /// The scalar of a text that consists of exactly one.
    private static func single(_ text: String) -> Unicode.Scalar? {
        text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }
}
