/// An immutable table of values by name, for lookups that allocate nothing.
///
/// Names are compared as Swift strings are (FORMAT 1.3). Its hash reads a name's UTF-8 directly,
/// which is several times faster than `Dictionary`'s; a name outside ASCII is normalized first,
/// since é and e + ◌́ are one name. Entries keep the order in which they came.
struct NameTable<Value: Sendable>: Sendable {
    /// A name with its value.
    struct Entry: Sendable {
        /// The name, as it was written.
        let name: String
        /// The value.
        var value: Value
        /// The name's hash, by ``NameHash``.
        let hash: UInt32
        /// Whether the entry only says that an earlier one of its name does not count.
        var isAbsent = false
    }

    /// The entries, in order; each name once.
    private(set) var entries: ContiguousArray<Entry>
    /// Open addressing: the upper half of a slot is a hash, the lower the entry's number from 1; 0
    /// is an empty slot.
    ///
    /// At most half of the slots are taken.
    private var slots: ContiguousArray<UInt64>

    /// Makes a table of `entries`; of entries with one name the last one counts.
    init(_ entries: ContiguousArray<Entry>) {
        self.entries = entries
        slots = []
        if !fillSlots() {
            self.entries.removeAll { $0.isAbsent }
            _ = fillSlots()
        }
    }

    /// Makes a table of a dictionary, in the order of the names.
    init(_ dictionary: [String: Value]) {
        let sorted = dictionary.sorted { $0.key < $1.key }
        self.init(
            ContiguousArray(
                sorted.map { Entry(name: $0.key, value: $0.value, hash: NameHash.hash($0.key)) }))
    }

    /// The value of `name`.
    @inline(__always)
    subscript(name: String) -> Value? {
        value(ofName: name, hash: NameHash.hash(name))
    }

    /// The value of `name`, whose hash is known.
    @inline(__always)
    func value(ofName name: String, hash: UInt32) -> Value? {
        guard let number = find(name, hash: hash) else { return nil }
        return entries[number].value
    }

    /// The entry's number for `name`, or nil.
    @inline(__always)
    func find(_ name: String, hash: UInt32) -> Int? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        // Cut, not converted: `Int` has 32 bits on some watches.
        var position = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[position]
            if slot == 0 { return nil }
            if UInt32(truncatingIfNeeded: slot >> 32) == hash {
                let number = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) - 1
                if entries[number].name == name { return number }
            }
            position = (position + 1) & mask
        }
    }

    /// Enters all entries into the slots.
    ///
    /// Gives false when some entries do not count; they are then marked, and the slots are of no
    /// use.
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
    /// The number that an entry's name has in another table, or nil.
    @inline(__always)
    func counterpart(ofEntry number: Int, in other: NameTable) -> Int? {
        let hash = entries[number].hash
        // Two documents of one server list their names in one order.
        if number < other.entries.count, other.entries[number].hash == hash,
            other.entries[number].name == entries[number].name
        {
            return number
        }
        return other.find(entries[number].name, hash: hash)
    }

    /// The names that another table does not have, sorted.
    func names(missingIn other: NameTable) -> [String] {
        entries.indices.filter { counterpart(ofEntry: $0, in: other) == nil }
            .map { entries[$0].name }.sorted()
    }
}

extension NameTable: Equatable where Value: Equatable {
    /// Whether both have the same names with equal values, in any order.
    static func == (left: NameTable, right: NameTable) -> Bool {
        guard left.entries.count == right.entries.count else { return false }
        return left.entries.indices.allSatisfy { number in
            guard let other = left.counterpart(ofEntry: number, in: right) else { return false }
            return right.entries[other].value == left.entries[number].value
        }
    }

    /// The names that another table has too, with another value, sorted.
    func names(changedFrom other: NameTable) -> [String] {
        entries.indices.filter { number in
            guard let before = counterpart(ofEntry: number, in: other) else { return false }
            return other.entries[before].value != entries[number].value
        }
        .map { entries[$0].name }.sorted()
    }
}

extension NameTable: Hashable where Value: Hashable {
    /// Feeds the entries in a way that their order does not count.
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

/// The hash of a name in a ``NameTable``: names that are equal as Swift strings have one hash.
enum NameHash {
    /// The hash of `name`.
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

    /// The hash of a name that is all ASCII.
    @inline(__always)
    static func hash(ofASCII bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe ByteHash.hash(bytes, seed: ByteHash.processSeed))
    }

    /// The hash of a name that is not all ASCII.
    ///
    /// The standard library's own hash is taken, since only it is sure to normalize as `==` does:
    /// Foundation's tables may be of another version of Unicode. A name that equals one in ASCII
    /// hashes as that.
    @inline(never)
    private static func normalizedHash(_ name: String) -> UInt32 {
        if var plain = asciiForm(of: name) {
            return plain.withUTF8 { unsafe hash(ofASCII: UnsafeRawBufferPointer($0)) }
        }
        var hasher = Hasher()
        hasher.combine(name)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The name in ASCII that equals `name`, or nil.
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

    /// Whether no byte has its highest bit set.
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
