extension ScalarSet {
    /// The scalars, and those that differ from them in case only: Unicode's simple folding, as RE2
    /// has it.
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

    /// The place of the first pair whose scalar is not before another.
    private static func firstPair(from scalar: UInt32) -> Int {
        var (low, high) = (0, casePairs.count)
        while low < high {
            let middle = (low + high) / 2
            if casePairs[middle].scalar < scalar { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Scalars with their other case, in both directions, sorted.
    private static let casePairs: [(scalar: UInt32, other: UInt32)] = {
        var families: [UInt32: [UInt32]] = [:]
        // The blocks that have letters of two cases.
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

    /// What scalars of one letter have in common: the lower case of the upper case.
    private static func key(_ scalar: Unicode.Scalar) -> UInt32 {
        // The upper case of a dotless ı is I, but the two are no pair: only Turkish takes them so.
        if scalar == "\u{131}" { return scalar.value }
        let upper = single(scalar.properties.uppercaseMapping) ?? scalar
        return (single(upper.properties.lowercaseMapping) ?? upper).value
    }

    /// The scalar of a text that has one.
    private static func single(_ text: String) -> Unicode.Scalar? {
        text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }
}
