import Testing

@testable import ActiveConfig

/// The hash of bytes and the fingerprint of a text.
struct ByteHashTests {
    private func hash(_ bytes: [UInt8], seed: UInt64 = 1) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe ByteHash.hash($0, seed: seed) }
    }

    private func fingerprint(_ bytes: [UInt8]) -> ByteHash.Fingerprint {
        unsafe bytes.withUnsafeBytes { unsafe ByteHash.Fingerprint(of: $0) }
    }

    /// The hash consumes sixteen bytes per step, so each length takes a different path through it.
    @Test func theHashChangesWithEveryBitAtEveryLength() {
        for length in 0...70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            var hashes: Set<UInt64> = [hash(bytes)]
            for bit in 0..<length * 8 {
                var other = bytes
                other[bit / 8] ^= 1 << (bit % 8)
                #expect(hashes.insert(hash(other)).inserted)
                #expect(fingerprint(other) != fingerprint(bytes))
            }
            #expect(hash(bytes) == hash(bytes))
            #expect(fingerprint(bytes) == fingerprint(bytes))
        }
    }

    @Test func theHashChangesWithTheLengthAndTheSeed() {
        let zeros = (0...100).map { hash([UInt8](repeating: 0, count: $0)) }
        #expect(Set(zeros).count == zeros.count)
        let seeds = (0..<1000).map { hash([1, 2, 3], seed: $0) }
        #expect(Set(seeds).count == seeds.count)
    }

    /// The checksum is part of the stores' file format: it must not change.
    @Test(
        arguments: [
            Row("empty", "", 0x35D6_5723_0BB7_92F3), Row("short", "a", 0x883F_8E92_8BF8_184C),
            Row("word", "12345678", 0xCD98_54C3_DC40_FE62),
            Row("long", "The quick brown fox jumps over the lazy dog", 0x0FFC_7EC5_D6A6_443F),
        ] as [Row<String, UInt64>])
    func theHashStaysTheSameChecksum(row: Row<String, UInt64>) {
        #expect(hash(Array(row.input.utf8), seed: ByteHash.checksumSeed) == row.expected)
    }

    /// Similar names are spread over the slots of a table.
    @Test func theHashSpreadsSimilarNames() {
        let slots = Set((0..<4096).map { NameHash.hash("setting_\($0)") & 8191 })
        #expect(slots.count > 3000)
    }
}
