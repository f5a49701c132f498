/// Values of scalar settings of the active configuration.
///
/// Read without a lock, except on releases of Apple's platforms that have no atomic values.
final class ScalarCache: Sendable {
    #if canImport(Darwin)
        private let slots: any ScalarSlots =
            if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
                AtomicScalarSlots()
            } else {
                LockedScalarSlots()
            }
    #else
        private let slots = AtomicScalarSlots()
    #endif

    /// Number of slots; settings beyond are not cached.
    static let capacity = 65_536

    /// Makes every slot stale that was filled from another configuration.
    func activate(generation: UInt64) { slots.activate(generation: generation) }

    @inline(__always)
    func entry(ofSlot slot: Int) -> ScalarEntry { slots.entry(ofSlot: slot) }

    /// Stores a slot's value in the configuration of a generation; nil means no value of the type.
    func fill(slot: Int, generation: UInt64, bits: UInt64?) {
        slots.fill(slot: slot, generation: generation, bits: bits)
    }
}

enum ScalarEntry: Equatable {
    /// The slot is not filled for the active configuration.
    case miss
    /// There is no value of the type.
    case absent
    case bits(UInt64)
}

/// The storage of a ``ScalarCache``.
protocol ScalarSlots: Sendable {
    func activate(generation: UInt64)
    func entry(ofSlot slot: Int) -> ScalarEntry
    func fill(slot: Int, generation: UInt64, bits: UInt64?)
}

/// Slots behind a lock.
final class LockedScalarSlots: ScalarSlots {
    private struct State {
        /// Generation of the active configuration; 0 while none is loaded.
        var generation: UInt64 = 0
        var slots: [Int: (generation: UInt64, bits: UInt64?)] = [:]
    }

    private let state = Locked(State())

    func activate(generation: UInt64) { state.withLock { $0.generation = generation } }

    func entry(ofSlot slot: Int) -> ScalarEntry {
        state.withLock { state in
            guard let known = state.slots[slot], known.generation == state.generation else {
                return .miss
            }
            return known.bits.map { .bits($0) } ?? .absent
        }
    }

    func fill(slot: Int, generation: UInt64, bits: UInt64?) {
        state.withLock { state in
            guard generation != 0, generation == state.generation else { return }
            state.slots[slot] = (generation, bits)
        }
    }
}

/// A type whose values a ``ScalarCache`` holds.
protocol ScalarSetting: Sendable {
    var settingBits: UInt64 { get }
    init(settingBits: UInt64)
}

extension Bool: ScalarSetting {
    @inline(__always)
    var settingBits: UInt64 { self ? 1 : 0 }
    @inline(__always)
    init(settingBits: UInt64) { self = settingBits != 0 }
}

extension Int: ScalarSetting {
    @inline(__always)
    var settingBits: UInt64 { UInt64(truncatingIfNeeded: self) }
    @inline(__always)
    init(settingBits: UInt64) { self.init(truncatingIfNeeded: settingBits) }
}

extension Double: ScalarSetting {
    @inline(__always)
    var settingBits: UInt64 { bitPattern }
    @inline(__always)
    init(settingBits: UInt64) { self.init(bitPattern: settingBits) }
}

extension Float: ScalarSetting {
    @inline(__always)
    var settingBits: UInt64 { UInt64(bitPattern) }
    @inline(__always)
    init(settingBits: UInt64) { self.init(bitPattern: UInt32(truncatingIfNeeded: settingBits)) }
}
