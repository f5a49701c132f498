import Synchronization

/// Lock-free slots.
///
/// Each slot holds a value's bits and a tag with the generation of the configuration it was read
/// from. Another active configuration makes all slots stale at once, by one store of its
/// generation; a read of a stale slot misses, and the reader fills it.
@safe  // Chunks are allocated with a fixed size, and freed when nobody can read any more.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class AtomicScalarSlots: ScalarSlots {
    private typealias Chunk = UnsafeMutablePointer<Atomic<UInt64>>

    private static let slotBits = 8
    private static let chunkCount = ScalarCache.capacity >> slotBits
    private static let slotsPerChunk = 1 << slotBits

    /// The generation of the active configuration; 0 while none is loaded.
    private let generation = Atomic<UInt64>(0)
    /// Two words per slot: tag and bits.
    nonisolated(unsafe) private let chunks: UnsafeMutablePointer<Atomic<Chunk?>>  // Atomic words.
    /// Serializes filling.
    private let filling = Locked(())

    init() {
        unsafe chunks = .allocate(capacity: Self.chunkCount)
        for index in 0..<Self.chunkCount {
            unsafe (chunks + index).initialize(to: Atomic(nil))
        }
    }

    deinit {
        for index in 0..<Self.chunkCount {
            if let chunk = unsafe chunks[index].load(ordering: .relaxed) {
                unsafe chunk.deinitialize(count: 2 * Self.slotsPerChunk)
                unsafe chunk.deallocate()
            }
        }
        unsafe chunks.deinitialize(count: Self.chunkCount)
        unsafe chunks.deallocate()
    }

    func activate(generation: UInt64) {
        self.generation.store(generation, ordering: .releasing)
    }

    @inline(__always)
    func entry(ofSlot slot: Int) -> ScalarEntry {
        let generation = generation.load(ordering: .acquiring)
        let index = slot >> Self.slotBits
        guard generation != 0, index < Self.chunkCount,
            let chunk = unsafe chunks[index].load(ordering: .acquiring)
        else { return .miss }
        let word = unsafe chunk + 2 * (slot & (Self.slotsPerChunk - 1))
        let tag = unsafe word[0].load(ordering: .acquiring)
        guard tag >> 1 == generation else { return .miss }
        if tag & 1 == 0 { return .absent }
        let bits = unsafe word[1].load(ordering: .acquiring)
        // A refill clears the tag before it changes the bits.
        return unsafe word[0].load(ordering: .relaxed) == tag ? .bits(bits) : .miss
    }

    /// Never overwrites a newer generation: a reader would not notice, between its two loads of the
    /// tag, that the slot was filled for an older generation and again for the newer one (ABA).
    func fill(slot: Int, generation: UInt64, bits: UInt64?) {
        let index = slot >> Self.slotBits
        guard index < Self.chunkCount else { return }
        filling.withLock { _ in
            let chunk = unsafe chunk(at: index)
            let word = unsafe chunk + 2 * (slot & (Self.slotsPerChunk - 1))
            if unsafe word[0].load(ordering: .relaxed) >> 1 > generation { return }
            unsafe word[0].store(0, ordering: .relaxed)
            unsafe word[1].store(bits ?? 0, ordering: .releasing)
            unsafe word[0].store(generation << 1 | (bits == nil ? 0 : 1), ordering: .releasing)
        }
    }

    private func chunk(at index: Int) -> Chunk {
        if let chunk = unsafe chunks[index].load(ordering: .relaxed) { return unsafe chunk }
        let chunk = Chunk.allocate(capacity: 2 * Self.slotsPerChunk)
        for word in 0..<(2 * Self.slotsPerChunk) {
            unsafe (chunk + word).initialize(to: Atomic(0))
        }
        unsafe chunks[index].store(chunk, ordering: .releasing)
        return unsafe chunk
    }
}
