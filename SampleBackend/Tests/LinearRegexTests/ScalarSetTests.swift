import Testing

@testable import LinearRegex

struct ScalarSetTests {
    @Test(arguments: [
        [0x49, 0x69], [0x4B, 0x6B, 0x212A], [0x53, 0x73, 0x17F], [0xB5, 0x39C, 0x3BC],
        [0xC5, 0xE5, 0x212B], [0xDF, 0x1E9E], [0x1C4, 0x1C5, 0x1C6], [0x130], [0x131],
        [0x345, 0x399, 0x3B9, 0x1FBE], [0x398, 0x3B8, 0x3D1, 0x3F4], [0x3A9, 0x3C9, 0x2126],
        [0x3A3, 0x3C2, 0x3C3], [0x412, 0x432, 0x1C80], [0x13A0, 0xAB70], [0x13F8, 0x13F0],
        [0x10D0, 0x1C90], [0x1E60, 0x1E61, 0x1E9B], [0x1F80, 0x1F88], [0x2160, 0x2170],
        [0x24B6, 0x24D0], [0x10400, 0x10428], [0x1E900, 0x1E922],
    ])
    func aSetFoldsCaseAsUnicodeDoes(family: [UInt32]) {
        for scalar in family {
            let folded = ScalarSet([scalar...scalar]).caseInsensitive
            #expect(folded == ScalarSet(family.map { $0...$0 }), "\(scalar)")
        }
    }

    @Test func aSetFoldsRangesAsTheirScalars() {
        for range: ClosedRange<UInt32> in [0x41...0x5A, 0x100...0x17F, 0x370...0x3FF, 0...0x10FFFF]
        {
            let expected = ScalarSet(
                range.prefix(0x600).flatMap { ScalarSet([$0...$0]).caseInsensitive.ranges })
            let folded = ScalarSet([range.lowerBound...(range.prefix(0x600).last ?? 0)])
            #expect(folded.caseInsensitive == expected)
        }
    }

    @Test func theGeneralCategoriesAreThoseOfUnicode() throws {
        let all = ["L", "M", "N", "P", "S", "Z", "C"].map { UnicodeCategory.set(named: $0) }
        // Unassigned scalars are in none of the categories.
        let assigned = ScalarSet(try all.flatMap { try #require($0).ranges })
        #expect(!assigned.contains(0x378))
        let letters = try #require(UnicodeCategory.set(named: "L"))
        for value: UInt32 in 0x20..<0x300 {
            let scalar = try #require(Unicode.Scalar(value))
            let category = scalar.properties.generalCategory
            #expect(assigned.contains(value))
            #expect(letters.contains(value) == (category.isLetter), "\(value)")
        }
        #expect(UnicodeCategory.set(named: "l") == nil)
        #expect(UnicodeCategory.set(named: "") == nil)
    }
}

extension Unicode.GeneralCategory {
    /// True for the five categories of letters.
    fileprivate var isLetter: Bool {
        switch self {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            true
        default: false
        }
    }
}
