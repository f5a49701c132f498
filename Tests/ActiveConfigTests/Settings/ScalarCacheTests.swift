import Foundation
import Synchronization
import Testing

@testable import ActiveConfig

/// Values that are read without a lock, or with one on systems without atomic values.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ScalarCacheTests {
    enum Storage: CaseIterable {
        case atomic, locked

        func make() -> any ScalarSlots {
            if self == .atomic,
                #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
            {
                return AtomicScalarSlots()
            }
            return LockedScalarSlots()
        }
    }

    @Test(arguments: Storage.allCases)
    func aSlotIsFilledForOneGeneration(storage: Storage) {
        let cache = storage.make()
        #expect(cache.entry(ofSlot: 7) == .miss)
        cache.activate(generation: 3)
        #expect(cache.entry(ofSlot: 7) == .miss)
        cache.fill(slot: 7, generation: 3, bits: 42)
        #expect(cache.entry(ofSlot: 7) == .bits(42))
        #expect(cache.entry(ofSlot: 8) == .miss)
        cache.activate(generation: 4)
        #expect(cache.entry(ofSlot: 7) == .miss)
        cache.fill(slot: 7, generation: 4, bits: nil)
        #expect(cache.entry(ofSlot: 7) == .absent)
    }

    @Test(arguments: Storage.allCases)
    func aSlotFilledForNoConfigurationIsNoValue(storage: Storage) {
        let cache = storage.make()
        cache.fill(slot: 7, generation: 0, bits: 42)
        #expect(cache.entry(ofSlot: 7) == .miss)
        cache.fill(slot: 7, generation: 1, bits: 42)
        #expect(cache.entry(ofSlot: 7) == .miss)
    }

    @Test(arguments: Storage.allCases, [0, 255, 256, 65_535])
    func aSlotWithinTheCapacityIsKept(storage: Storage, slot: Int) {
        let cache = storage.make()
        cache.activate(generation: 1)
        cache.fill(slot: slot, generation: 1, bits: .max)
        #expect(cache.entry(ofSlot: slot) == .bits(.max))
    }

    @Test(arguments: [65_536, 1 << 40])
    func aSlotBeyondTheCapacityIsAMiss(slot: Int) {
        let cache = Storage.atomic.make()
        cache.activate(generation: 1)
        cache.fill(slot: slot, generation: 1, bits: 5)
        #expect([.miss, .bits(5)].contains(cache.entry(ofSlot: slot)))
        #expect(cache.entry(ofSlot: slot - 65_536) == .miss)
    }

    /// Never overwrites a newer generation (ABA): between a reader's two loads of the tag, a late
    /// reader of the older generation would fill the slot, and one of the newer generation would
    /// fill it again.
    @Test(arguments: Storage.allCases)
    func aLateReaderDoesNotReplaceANewerValue(storage: Storage) {
        let cache = storage.make()
        cache.activate(generation: 2)
        cache.fill(slot: 0, generation: 2, bits: 20)
        cache.fill(slot: 0, generation: 1, bits: 10)
        #expect(cache.entry(ofSlot: 0) == .bits(20))
    }

    /// Each value is its generation's number, so a stale value is detected; odd generations have no
    /// value.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Storage.allCases)
    func readersNeverSeeAnOlderGenerationUnderContention(storage: Storage) async throws {
        let cache = storage.make()
        @Sendable func fill(_ generation: UInt64) {
            cache.fill(
                slot: 0, generation: generation,
                bits: generation.isMultiple(of: 2) ? generation : nil)
        }
        cache.activate(generation: 2)
        let active = Atomic<UInt64>(2)
        let isReading = Atomic<Int>(3)
        let readCount =
            Sanitizer.isOn || storage == .locked
            ? 200_000 : Rounds.count(5_000_000, nightly: 20_000_000)
        let faults = try await Threads.run(6) { number in
            var faults = 0
            switch number {
            case 0:
                while isReading.load(ordering: .relaxed) > 0 {
                    let generation = active.load(ordering: .relaxed) + 1
                    cache.activate(generation: generation)
                    active.store(generation, ordering: .releasing)
                    fill(generation)
                }
            case 1, 2:
                // Fills late for the previous generation, then for the current one.
                while isReading.load(ordering: .relaxed) > 0 {
                    let generation = active.load(ordering: .acquiring)
                    fill(generation - 1)
                    fill(generation)
                }
            default:
                for _ in 0..<readCount {
                    let least = active.load(ordering: .acquiring)
                    if case .bits(let bits) = cache.entry(ofSlot: 0), bits < least { faults += 1 }
                }
                isReading.subtract(1, ordering: .relaxed)
            }
            return faults
        }
        #expect(faults.allSatisfy { $0 == 0 }, "\(faults)")
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
