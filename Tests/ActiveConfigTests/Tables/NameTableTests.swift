import Foundation
import Testing

@testable import ActiveConfig

/// The table of values by name.
@Suite(.onOneThread)
struct NameTableTests {
    /// Table of names with their indices as values; `hash`, if given, replaces the hash of each
    /// name.
    private func table(_ names: [String], hash: UInt32? = nil) -> NameTable<Int> {
        NameTable(
            ContiguousArray(
                names.enumerated().map { index, name in
                    NameTable<Int>.Entry(
                        name: name, value: index, hash: hash ?? NameHash.hash(name))
                }))
    }

    @Test func theTableFindsEachOfManyNames() {
        for count in [0, 1, 2, 3, 4, 5, 100, 4096, 20_000] {
            let names = (0..<count).map { "name \($0)" }
            let table = table(names)
            #expect(table.entries.map(\.name) == names)
            #expect(names.indices.allSatisfy { table[names[$0]] == $0 })
            #expect(table["name \(count)"] == nil && table[""] == nil)
        }
    }

    @Test func theTableFindsNamesWhoseHashesCollide() {
        let names = (0..<300).map { "name \($0)" }
        for hash in [0, 1, UInt32.max] {
            let table = table(names, hash: hash)
            for (index, name) in names.enumerated() {
                #expect(table.value(ofName: name, hash: hash) == index)
            }
            #expect(table.value(ofName: "other", hash: hash) == nil)
            #expect(table.value(ofName: "name 1", hash: hash ^ 1) == nil)
        }
    }

    @Test func theTableCountsTheLastOfNamesWhoseHashesCollide() {
        let table = table(["a", "b", "a", "c", "b", "a"], hash: 7)
        #expect(table.entries.map(\.name) == ["c", "b", "a"])
        #expect(table.value(ofName: "a", hash: 7) == 5)
        #expect(table.value(ofName: "b", hash: 7) == 4)
        #expect(table.value(ofName: "c", hash: 7) == 3)
    }

    @Test func theTableTakesADictionaryInTheOrderOfNames() {
        let table = NameTable(["b": 2, "a": 1, "é": 3])
        #expect(table.entries.map(\.name) == ["a", "b", "é"])
        #expect(table["e\u{301}"] == 3)
    }

    @Test func theTableComparesInAnyOrder() {
        let names = (0..<50).map { "name \($0)" }
        let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.utf8.count) })
        var generator = SeededGenerator.printingItsSeed()
        func shuffled() -> NameTable<Int> {
            NameTable(
                ContiguousArray(
                    dictionary.sorted { $0.key < $1.key }.shuffled(using: &generator).map {
                        .init(name: $0.key, value: $0.value, hash: NameHash.hash($0.key))
                    }))
        }
        #expect(shuffled() == shuffled())
        #expect(shuffled().hashValue == shuffled().hashValue)
        var other = dictionary
        other["name 7"] = 0
        #expect(NameTable(other) != shuffled())
        other = dictionary
        other["name 7"] = nil
        #expect(NameTable(other) != shuffled())
        other["another"] = 6
        #expect(NameTable(other) != shuffled())
    }

    /// FORMAT 1.3: names that are equal as Swift strings are the same name.
    ///
    /// The last rows are from Unicode 16, which Foundation's tables may not include.
    @Test(arguments: [
        Row("é", "\u{E9}", "e\u{301}"), Row("in a word", "caf\u{E9}s", "cafe\u{301}s"),
        Row("two marks", "\u{1E69}", "s\u{307}\u{323}"),
        Row("Hangul", "한", "\u{1112}\u{1161}\u{11AB}"),
        Row("ångström", "\u{212B}", "A\u{30A}"), Row("Kelvin", "\u{212A}", "K"),
        Row("Greek question mark", "a\u{37E}", "a;"), Row("Greek varia", "\u{1FEF}", "`"),
        Row("Kirat Rai", "\u{16D68}", "\u{16D67}\u{16D67}"),
        Row("Todhri", "\u{105C9}", "\u{105D2}\u{307}"),
        Row("Gurung Khema", "\u{16121}", "\u{1611E}\u{1611E}"),
    ])
    func theTableTakesBothNormalFormsAsOneName(row: Row<String, String>) {
        #expect(NameHash.hash(row.input) == NameHash.hash(row.expected))
        #expect(table([row.input])[row.expected] == 0)
        #expect(table([row.expected])[row.input] == 0)
        #expect(table([row.input, row.expected]).entries.count == 1)
        #expect(table([row.input, row.input + "\u{301}"]).entries.count == 2)
    }

    /// Compares every character's composed form with its decomposed one.
    @Test func theTableHashesEqualNamesAlike() {
        var faults: [Unicode.Scalar] = []
        for scalar in (UInt32(0x80)...0x1_FFFF).compactMap({ Unicode.Scalar($0) }) {
            let name = String(Character(scalar))
            let decomposed = name.decomposedStringWithCanonicalMapping
            if name == decomposed, NameHash.hash(name) != NameHash.hash(decomposed) {
                faults.append(scalar)
            }
        }
        #expect(faults == [])
    }

    @Test func theTableHashesABridgedNameAsItsOwn() {
        for name in ["plain name", "é", "\u{212A}"] {
            let bridged = NSString(string: name) as String
            #expect(NameHash.hash(bridged) == NameHash.hash(name))
        }
    }
}
