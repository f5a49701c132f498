/// A fast 64-bit hash of bytes, keyed by a seed.
///
/// With the seed of the process it places names in a ``NameTable``, where a publisher must not be
/// able to make names collide. With ``checksumSeed`` it detects damage of stored files, but not
/// forgery.
///
/// Sixteen bytes a step: both words are mixed with secrets, multiplied to 128 bits, and the halves
/// are folded together.
enum ByteHash {
    static let processSeed = UInt64.random(in: .min ... .max)
    /// Part of the file format of the stores.
    static let checksumSeed: UInt64 = 0x243F_6A88_85A3_08D3

    /// Identifies a text within this process.
    ///
    /// Two texts collide with a probability of 2⁻¹²⁸, which cannot be increased without the seed.
    struct Fingerprint: Sendable, Hashable {
        private let low: UInt64
        private let high: UInt64

        init(of bytes: UnsafeRawBufferPointer) {
            // Two lanes hide the latency of each other's multiplications.
            var first = Lane(seed: processSeed)
            var other = Lane(seed: ~processSeed &* second)
            unsafe forEachStep(of: bytes) { low, high in
                first.take(low, high)
                other.take(low, high)
            }
            low = first.end(count: bytes.count)
            high = other.end(count: bytes.count)
        }
    }

    @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var lane = Lane(seed: seed)
        unsafe forEachStep(of: bytes) { low, high in lane.take(low, high) }
        return lane.end(count: bytes.count)
    }

    private static let first: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let second: UInt64 = 0xD1B5_4A32_D192_ED03

    private struct Lane {
        private let secret: UInt64
        private var state: UInt64

        @inline(__always)
        init(seed: UInt64) {
            secret = second ^ seed
            state = seed ^ first
        }

        @inline(__always)
        mutating func take(_ low: UInt64, _ high: UInt64) {
            state = mix(low ^ state, high ^ secret)
        }

        /// `count` is the number of bytes taken.
        @inline(__always)
        func end(count: Int) -> UInt64 {
            mix(state ^ UInt64(truncatingIfNeeded: count), first)
        }
    }

    /// Sixteen bytes at a time, as two words; the last step may have fewer.
    @inline(__always)
    private static func forEachStep(
        of bytes: UnsafeRawBufferPointer, _ body: (UInt64, UInt64) -> Void
    ) {
        let count = bytes.count
        var offset = 0
        while count - offset > 16 {
            body(unsafe word(bytes, at: offset), unsafe word(bytes, at: offset + 8))
            offset += 16
        }
        var low: UInt64 = 0
        var high: UInt64 = 0
        let rest = count - offset
        if rest >= 8 {
            // Two overlapping words cover 8 to 16 bytes.
            low = unsafe word(bytes, at: offset)
            high = unsafe word(bytes, at: count - 8)
        } else {
            for index in 0..<rest {
                low = low << 8 | UInt64(unsafe bytes[offset + index])
            }
        }
        body(low, high)
    }

    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// Little-endian, so the same number on every machine.
    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
