/// The active sections, once for each of a few groups of threads.
///
/// A lock and a section's reference count shared by all threads would move between their processors
/// at each read, so two threads together would read less than one: 0.46 times as much, and with
/// replicas 1.95 times (F3, November 2026). An atomic pointer without a lock would not help, since
/// the reader retains the section. A replica has its own lock and section objects; the settings are
/// shared. All replicas change at once: no thread sees an older configuration than another thread
/// has seen.
@safe  // The replicas are released when nobody can read any more.
final class SectionReplicas: Sendable {
    private struct Replica {
        /// Nil until a configuration is loaded.
        var sections: NameTable<ActiveConfigSection>?
        /// The replica's own objects, by the entry's number in `sections`; nil: not read yet.
        ///
        /// Empty until the first read.
        var copies: ContiguousArray<ActiveConfigSection?> = []
        /// Keeps the locks of two replicas out of one cache line.
        let padding = (0, 0, 0, 0, 0, 0) as (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

        @inline(never)
        mutating func keep(_ copy: ActiveConfigSection, _ number: Int) {
            if copies.isEmpty {
                copies = ContiguousArray(repeating: nil, count: sections?.entries.count ?? 0)
            }
            copies[number] = copy
        }
    }

    private static let count = ThreadNumber.count

    /// Unmanaged, as reaching an element of an array would count a reference.
    nonisolated(unsafe) private let replicas: UnsafeMutablePointer<Unmanaged<Locked<Replica>>>
    private let threadNumber = ThreadNumber()

    init() {
        unsafe replicas = .allocate(capacity: Self.count)
        for index in 0..<Self.count {
            unsafe (replicas + index).initialize(to: .passRetained(Locked(Replica())))
        }
    }

    deinit {
        for index in 0..<Self.count { unsafe replicas[index].release() }
        unsafe replicas.deallocate()
    }

    /// The section of that name; the outer nil: nothing is loaded yet.
    @inline(__always)
    func section(named name: String, hash: UInt32) -> ActiveConfigSection?? {
        withReplica(threadNumber.current) { replica in
            guard let sections = replica.sections else { return nil }
            guard let number = sections.find(name, hash: hash) else { return .some(nil) }
            if number < replica.copies.count, let copy = replica.copies[number] { return copy }
            let copy = sections.entries[number].value.copy()
            replica.keep(copy, number)
            return copy
        }
    }

    func activate(_ sections: NameTable<ActiveConfigSection>) {
        replace(with: sections, from: 0)
    }

    /// Holds all locks until the last replica has the new sections.
    @inline(never)  // The compiler would inline the recursion several times.
    private func replace(with sections: NameTable<ActiveConfigSection>, from index: Int) {
        guard index < Self.count else { return }
        withReplica(index) { replica in
            replica.sections = sections
            replica.copies = []
            replace(with: sections, from: index + 1)
        }
    }

    @inline(__always)
    private func withReplica<Result: Sendable>(
        _ index: Int, _ body: (inout Replica) -> Result
    ) -> Result {
        unsafe replicas[index]._withUnsafeGuaranteedRef { lock in
            lock.withLock { replica in body(&replica) }
        }
    }
}
