import Testing

@testable import ActiveConfig

/// The order of names by their UTF-8 bytes.
struct NameOrderTests {
    private static let names = [
        "", "\0", "\0\0", "A", "AB", "B", "K", "K::", "a", "a\0",
        "a name of more than fifteen bytes", "a name of more than fifteen bytez", "é",
        "e\u{301}", "\u{212A}", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ]

    @Test func namesAreInTheOrderOfTheirBytes() {
        for name in Self.names {
            for other in Self.names {
                let isBefore = Array(name.utf8).lexicographicallyPrecedes(Array(other.utf8))
                #expect(name.precedes(other) == isBefore, "\(name) \(other)")
            }
        }
    }

    @Test func namesAreEqualAsStringsAre() {
        for name in Self.names {
            for other in Self.names {
                #expect(name.isName(other) == (name == other), "\(name) \(other)")
            }
        }
    }

    @Test(arguments: [0, 1, 7, 1_000])
    func theFirstNamesAreThoseOfTheWholeOrder(count: Int) {
        let names = (0..<500).map { "name \($0 * 7919 % 500)" } + Self.names
        for names in [names, names.reversed(), names.sortedByBytes()] {
            #expect(names.firstByBytes(count) == Array(names.sortedByBytes().prefix(count)))
        }
    }

    @Test func elementsAreInTheOrderOfTheirNames() {
        // Without names that are equal as strings.
        let names = Array(Set(Self.names))
        let sorted = Dictionary(uniqueKeysWithValues: zip(names, 0...)).sortedByName()
        #expect(sorted.map(\.key) == names.sortedByBytes())
        #expect(sorted.allSatisfy { names[$0.value] == $0.key })
    }

    @Test func partsOfALongerStringAreComparedAlone() {
        let text = "one,two,three"
        let parts = text.split(separator: ",").map(String.init)
        #expect(parts.sortedByBytes() == ["one", "three", "two"])
    }
}
