import Foundation
import Testing

@testable import ActiveConfig

/// Values that are read without a lock.
@Suite(.timeLimit(.minutes(5)))
struct ScalarCacheTests {
    private static func bits(_ entry: ScalarEntry) -> UInt64? {
        guard case .bits(let bits) = entry else { return nil }
        return bits
    }

    private static func isMiss(_ entry: ScalarEntry) -> Bool {
        if case .miss = entry { true } else { false }
    }

    @Test func aSlotIsFilledForOneGeneration() {
        let cache = ScalarCache()
        #expect(Self.isMiss(cache.entry(ofSlot: 7)))
        cache.fill(slot: 7, generation: 3, bits: 42)
        #expect(Self.isMiss(cache.entry(ofSlot: 7)))
        cache.bringInForce(generation: 3)
        #expect(Self.bits(cache.entry(ofSlot: 7)) == 42)
        #expect(Self.isMiss(cache.entry(ofSlot: 8)))
        cache.bringInForce(generation: 4)
        #expect(Self.isMiss(cache.entry(ofSlot: 7)))
        cache.fill(slot: 7, generation: 4, bits: nil)
        guard case .absent = cache.entry(ofSlot: 7) else {
            Issue.record("\(cache.entry(ofSlot: 7))")
            return
        }
    }

    @Test(arguments: [0, 255, 256, 65_535])
    func aSlotWithinTheCapacityIsKept(slot: Int) {
        let cache = ScalarCache()
        cache.bringInForce(generation: 1)
        cache.fill(slot: slot, generation: 1, bits: .max)
        #expect(Self.bits(cache.entry(ofSlot: slot)) == .max)
    }

    @Test(arguments: [65_536, 1 << 40])
    func aSlotBeyondTheCapacityIsNotKept(slot: Int) {
        let cache = ScalarCache()
        cache.bringInForce(generation: 1)
        cache.fill(slot: slot, generation: 1, bits: 5)
        #expect(Self.isMiss(cache.entry(ofSlot: slot)))
    }

    /// Else a reader could take the older value for the newer one: between its two looks at the tag
    /// the slot would be filled by a late reader of the older generation, and again by one of the
    /// newer.
    @Test func aLateReaderDoesNotReplaceANewerValue() {
        let cache = ScalarCache()
        cache.bringInForce(generation: 2)
        cache.fill(slot: 0, generation: 2, bits: 20)
        cache.fill(slot: 0, generation: 1, bits: 10)
        #expect(Self.bits(cache.entry(ofSlot: 0)) == 20)
    }

    /// Every value is the number of its generation, so an older one shows.
    @Test func readersNeverSeeAnOlderGenerationUnderContention() async throws {
        let cache = ScalarCache()
        cache.bringInForce(generation: 1)
        let inForce = Locked<UInt64>(1)
        let count: UInt64 = Sanitizer.isOn ? 10_000 : 50_000
        let older = try await Threads.run(6) { number in
            var older = 0
            switch number {
            case 0:
                for generation in 2...count {
                    cache.bringInForce(generation: generation)
                    inForce.withLock { $0 = generation }
                }
            case 1, 2:
                // Late and timely readers of the store behind the cache.
                while true {
                    let generation = inForce.withLock { $0 }
                    cache.fill(slot: 0, generation: generation, bits: generation)
                    if generation == count { return 0 }
                    cache.fill(slot: 0, generation: generation - 1, bits: generation - 1)
                    cache.fill(slot: 0, generation: generation, bits: generation)
                }
            default:
                while true {
                    let least = inForce.withLock { $0 }
                    for _ in 0..<8 {
                        let entry = cache.entry(ofSlot: 0)
                        if let bits = Self.bits(entry), bits < least { older += 1 }
                    }
                    if least == count { return older }
                }
            }
            return older
        }
        #expect(older.allSatisfy { $0 == 0 }, "\(older)")
        #expect(Self.bits(cache.entry(ofSlot: 0)) == count)
    }

    @Test func everyScalarComesBackFromItsBits() {
        func copy<Value: ScalarSetting>(_ value: Value) -> Value {
            Value(settingBits: value.settingBits)
        }
        #expect(copy(true) && !copy(false))
        for value in [Int.min, -1, 0, 1, .max] { #expect(copy(value) == value) }
        for value in [-0.0, .pi, .infinity, .nan, .greatestFiniteMagnitude] {
            #expect(copy(value).bitPattern == value.bitPattern)
        }
        for value in [-0.0, .pi, .infinity, .nan, .leastNonzeroMagnitude] as [Float] {
            #expect(copy(value).bitPattern == value.bitPattern)
        }
    }
}
