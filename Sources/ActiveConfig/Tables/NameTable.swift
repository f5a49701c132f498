/// An immutable table of values by name; lookups do not allocate.
///
/// Names are compared as Swift strings are (FORMAT 1.3). The hash reads a name's UTF-8 directly,
/// several times faster than `Dictionary`; only names outside of ASCII are normalized, since é and
/// e + ◌́ are one name. Entries keep their order.
struct NameTable<Value: Sendable>: Sendable {
    struct Entry: Sendable {
        let name: String
        var value: Value
        /// By ``NameHash``.
        let hash: UInt32
        /// Tombstone for an overridden duplicate.
        var isAbsent = false
    }

    /// Each name once, in the order of arrival.
    private(set) var entries: ContiguousArray<Entry>
    /// Open addressing, at most half full.
    ///
    /// A slot holds a hash in the upper half and the entry's number from 1 in the lower; 0 is an
    /// empty slot.
    private var slots: ContiguousArray<UInt64>

    /// Of several entries with one name the last counts.
    init(_ entries: ContiguousArray<Entry>) {
        self.entries = entries
        slots = []
        if !fillSlots() {
            self.entries.removeAll { $0.isAbsent }
            _ = fillSlots()
        }
    }

    /// Sorted by name.
    init(_ dictionary: [String: Value]) {
        let sorted = dictionary.sortedByName()
        self.init(
            ContiguousArray(
                sorted.map { Entry(name: $0.key, value: $0.value, hash: NameHash.hash($0.key)) }))
    }

    /// Not inlined; ``value(ofName:hash:)`` is, for reads that have to be fast.
    @inline(never)
    subscript(name: String) -> Value? {
        value(ofName: name, hash: NameHash.hash(name))
    }

    @inline(__always)
    func value(ofName name: String, hash: UInt32) -> Value? {
        guard let number = find(name, hash: hash) else { return nil }
        return entries[number].value
    }

    /// Index of the entry.
    @inline(__always)
    func find(_ name: String, hash: UInt32) -> Int? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        // Truncated, not converted: `Int` has 32 bits on some watches.
        var position = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[position]
            if slot == 0 { return nil }
            if UInt32(truncatingIfNeeded: slot >> 32) == hash {
                let number = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) - 1
                if entries[number].name.isName(name) { return number }
            }
            position = (position + 1) & mask
        }
    }

    /// False when there are duplicates or tombstones: they are then marked, and the slots are
    /// unusable.
    private mutating func fillSlots() -> Bool {
        guard !entries.isEmpty else {
            slots = []
            return true
        }
        var size = 4
        while size < entries.count * 2 { size *= 2 }
        slots = ContiguousArray(repeating: 0, count: size)
        var allCount = true
        for number in entries.indices {
            let hash = entries[number].hash
            if entries[number].isAbsent { allCount = false }
            var position = Int(truncatingIfNeeded: hash) & (size - 1)
            while slots[position] != 0 {
                let slot = slots[position]
                let other = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) - 1
                if UInt32(truncatingIfNeeded: slot >> 32) == hash,
                    entries[other].name == entries[number].name
                {
                    entries[other].isAbsent = true
                    allCount = false
                    break
                }
                position = (position + 1) & (size - 1)
            }
            slots[position] = UInt64(hash) << 32 | UInt64(number + 1)
        }
        return allCount
    }
}

extension NameTable {
    /// Index of the entry's name in another table.
    func counterpart(ofEntry number: Int, in other: NameTable) -> Int? {
        let hash = entries[number].hash
        // Two documents of one server usually list their names in one order.
        if number < other.entries.count, other.entries[number].hash == hash,
            other.entries[number].name.isName(entries[number].name)
        {
            return number
        }
        return other.find(entries[number].name, hash: hash)
    }

    /// True when both have the same names with equal values, in any order.
    func isEqual(to other: NameTable, values isEqual: (Value, Value) -> Bool) -> Bool {
        guard entries.count == other.entries.count else { return false }
        return entries.indices.allSatisfy { number in
            guard let found = counterpart(ofEntry: number, in: other) else { return false }
            return isEqual(entries[number].value, other.entries[found].value)
        }
    }

    /// Names in both tables whose values differ, sorted.
    func names(
        changedFrom other: NameTable, values isEqual: (Value, Value) -> Bool
    ) -> [String] {
        entries.indices.filter { number in
            guard let before = counterpart(ofEntry: number, in: other) else { return false }
            return !isEqual(other.entries[before].value, entries[number].value)
        }
        .map { entries[$0].name }.sortedByBytes()
    }

    /// Sorted.
    func names(missingIn other: NameTable) -> [String] {
        entries.indices.filter { counterpart(ofEntry: $0, in: other) == nil }
            .map { entries[$0].name }.sortedByBytes()
    }
}

extension NameTable: Equatable where Value: Equatable {
    /// Order does not count.
    static func == (left: NameTable, right: NameTable) -> Bool {
        left.isEqual(to: right, values: ==)
    }
}

extension NameTable: Hashable where Value: Hashable {
    /// Order does not count.
    func hash(into hasher: inout Hasher) {
        var sum = 0
        for entry in entries {
            var own = Hasher()
            own.combine(entry.name)
            own.combine(entry.value)
            sum &+= own.finalize()
        }
        hasher.combine(entries.count)
        hasher.combine(sum)
    }
}

/// Hash of a name in a ``NameTable``; names that are equal as Swift strings have equal hashes.
enum NameHash {
    @inline(__always)
    static func hash(_ name: String) -> UInt32 {
        let fast = unsafe name.utf8.withContiguousStorageIfAvailable {
            (content: UnsafeBufferPointer<UInt8>) -> UInt32? in
            let bytes = UnsafeRawBufferPointer(content)
            return unsafe isASCII(bytes) ? hash(ofASCII: bytes) : nil
        }
        if case .some(.some(let hash)) = fast { return hash }
        return normalizedHash(name)
    }

    @inline(__always)
    static func hash(ofASCII bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe ByteHash.hash(bytes, seed: ByteHash.processSeed))
    }

    // The standard library's hash, since only that is sure to normalize as `==` does: Foundation's
    // tables may be of another version of Unicode. A name that equals an ASCII name gets the ASCII
    // name's hash.
    @inline(never)
    private static func normalizedHash(_ name: String) -> UInt32 {
        if var plain = asciiForm(of: name) {
            return plain.withUTF8 { unsafe hash(ofASCII: UnsafeRawBufferPointer($0)) }
        }
        var hasher = Hasher()
        hasher.combine(name)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The ASCII name that equals `name`, or nil.
    ///
    /// Three characters outside ASCII are canonically equivalent to one in it; Unicode's stability
    /// policy allows no more.
    private static func asciiForm(of name: String) -> String? {
        var form = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\u{37E}": form.append(";")
            case "\u{1FEF}": form.append("`")
            case "\u{212A}": form.append("K")
            case _ where scalar.isASCII: form.append(scalar)
            default: return nil
            }
        }
        return String(form)
    }

    @inline(__always)
    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        var bits: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= count {
            unsafe bits |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            bits |= UInt64(unsafe bytes[offset])
            offset &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
