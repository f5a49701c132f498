import ActiveConfig
import Foundation
import Testing

/// Operation of a `FileDefaultsStore`, with the versions that a reader gets before and after it.
struct StoreOperation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Number of the version that a reader gets before; nil for none.
    var before: Int?
    /// Number of the version that a reader gets after; nil for none.
    var after: Int?
    /// Reads the number that is compared with `before` and `after`.
    var observe: @Sendable (FileDefaultsStore) -> Int? = Self.version
    /// True when the effect survives a loss of power as soon as the operation has ended, as for a
    /// removal.
    var isDurable = false
    /// True when a removal leaves no file of the user.
    var removesAll = true
    /// Number of synchronizations that the operation makes.
    let synchronizations: Int
    /// Number of synchronizations at the start that are not needed in this case.
    var needlessSynchronizations = 0
    /// Pairs of calls; in each, the first one must not be made after the second.
    var order: [(String, String)] = []
    /// Prepares the files before the operation.
    let prepare: @Sendable (ModelFileSystem) throws -> ModelFileSystem
    let operate: @Sendable (FileDefaultsStore) throws -> Void

    private static let folder = "/home/app/store"
    private static let current = "\(folder)/generic.activeconfig"

    static let all: [StoreOperation] = [
        StoreOperation(
            testDescription: "the first version, with folders", after: 1, synchronizations: 5,
            needlessSynchronizations: 1,
            order: [
                ("mkdir home", "sync /"), ("sync /", "mkdir app"), ("mkdir app", "sync home"),
                ("sync home", "mkdir store"), ("mkdir store", "sync app"),
                ("sync app", "open .lock for creating"),
            ],
            prepare: { $0 }, operate: { try persist(1, $0) }),
        StoreOperation(
            testDescription: "the first version, after a process that only created the folder",
            after: 1, synchronizations: 2,
            prepare: { system in
                let calls = try Self.all[0].calls(on: system)
                let last = calls.lastIndex { $0.hasPrefix("mkdir") } ?? 0
                let ended = system.reopened(.init(ending: last + 1))
                try? persist(1, store(ended))
                return ended
            },
            operate: { try persist(1, $0) }),
        StoreOperation(
            testDescription: "the second version", before: 1, after: 2, synchronizations: 1,
            prepare: { try prepare($0, 1) }, operate: { try persist(2, $0) }),
        StoreOperation(
            testDescription: "the third version", before: 2, after: 3, synchronizations: 1,
            order: [
                ("sync .new", "rename .new to generic.activeconfig"),
                (
                    "link generic.activeconfig as .replaced",
                    "rename .new to generic.activeconfig"
                ),
            ],
            prepare: { try prepare($0, 1, 2) }, operate: { try persist(3, $0) }),
        StoreOperation(
            testDescription: "a version after an interrupted persist", before: 2, after: 4,
            synchronizations: 1,
            prepare: { system in
                let system = try prepare(system, 1, 2)
                let calls = try Self.all[3].calls(on: system)
                let link = calls.firstIndex { $0.hasPrefix("link") } ?? 0
                let ended = system.reopened(.init(ending: link + 1))
                try? persist(3, store(ended))
                return ended
            },
            operate: { try persist(4, $0) }),
        StoreOperation(
            testDescription: "a version in place of a damaged one", before: 1, after: 3,
            synchronizations: 1,
            prepare: { system in
                let system = try prepare(system, 1, 2)
                system.damage(current)
                return system
            },
            operate: { try persist(3, $0) }),
        StoreOperation(
            testDescription: "putting a damaged version aside", before: 1, after: 1,
            synchronizations: 0,
            prepare: { system in
                let system = try prepare(system, 1, 2)
                system.damage(current)
                return system
            },
            operate: { _ = $0.ownConfiguration(forUserID: nil) }),
        StoreOperation(
            testDescription: "a removal", before: 2, isDurable: true, synchronizations: 2,
            order: [
                ("unlink generic.activeconfig.previous", "sync store"),
                ("sync store", "unlink generic.activeconfig"),
                ("unlink generic.activeconfig", "sync store"),
            ],
            prepare: { try prepare($0, 1, 2) }, operate: { try persist(nil, $0) }),
        StoreOperation(
            testDescription: "a removal right after a version", before: 2, isDurable: true,
            synchronizations: 2, needlessSynchronizations: 1,
            prepare: { system in
                let system = system.reopened()
                for number in 1...2 { try persist(number, store(system)) }
                return system
            },
            operate: { try persist(nil, $0) }),
        StoreOperation(
            testDescription: "a removal of a damaged version", before: 1, isDurable: true,
            synchronizations: 2, needlessSynchronizations: 1,
            prepare: { system in
                let system = try prepare(system, 1, 2)
                system.damage(current)
                return system
            },
            operate: { try persist(nil, $0) }),
        StoreOperation(
            testDescription: "a version after a removal", after: 3, synchronizations: 1,
            prepare: { try prepare($0, 1, 2, nil) }, operate: { try persist(3, $0) }),
        StoreOperation(
            testDescription: "the first pending version", after: 2, observe: Self.pending,
            synchronizations: 1,
            prepare: { try prepare($0, 1) }, operate: { try persistPending(2, $0) }),
        StoreOperation(
            testDescription: "a pending version that replaces another", before: 3, after: 4,
            observe: Self.pending, synchronizations: 1,
            order: [("sync .new", "rename .new to generic.pending.activeconfig")],
            prepare: { try preparePending($0, 2, 3) }, operate: { try persistPending(4, $0) }),
        StoreOperation(
            testDescription: "a removal of a pending version", before: 3, observe: Self.pending,
            isDurable: true, removesAll: false, synchronizations: 2,
            prepare: { try preparePending($0, 2, 3) }, operate: { try persistPending(nil, $0) }),
        StoreOperation(
            testDescription: "a removal of a version and a pending one", before: 1,
            isDurable: true, synchronizations: 2, needlessSynchronizations: 1,
            order: [
                ("unlink generic.pending.activeconfig", "sync store"),
                ("unlink generic.activeconfig", "sync store"),
            ],
            prepare: { try preparePending($0, 2) }, operate: { try persist(nil, $0) }),
        StoreOperation(
            testDescription: "the mark of the first download", before: 0, after: 1,
            observe: { $0.firstDownloadFinished ? 1 : 0 }, isDurable: true, synchronizations: 1,
            prepare: { try prepare($0, 1, 2) },
            operate: { if try !$0.recordFirstDownloadFinished() { throw NotTheFirst() } }),
    ]

    /// Files before the operation, all of them synchronized.
    func prepared() throws -> ModelFileSystem { try prepare(ModelFileSystem()) }

    /// Calls that the operation makes.
    func calls(on start: ModelFileSystem) throws -> [String] {
        let system = start.reopened()
        try operate(Self.store(system))
        return system.calls
    }

    /// Performs the operation, and returns the error it throws.
    @discardableResult
    func run(on system: ModelFileSystem) -> (any Error)? {
        defer { system.finish() }
        do {
            try operate(Self.store(system))
            return nil
        } catch {
            return error
        }
    }

    /// Results that a reader must not get, now or after a loss of power.
    ///
    /// Until the operation has ended it may be undone; after its end only a loss of power may undo
    /// it, unless it is durable.
    func violations(
        from start: ModelFileSystem, to system: ModelFileSystem, hasEnded: Bool
    ) throws -> [String] {
        let done = start.reopened()
        try operate(Self.store(done))
        let earlier = [start] + start.powerLosses()
        let allowed = hasEnded ? [after] : [before, after]
        let allowedLater = hasEnded && isDurable ? [after] : earlier.map(read) + [after]
        let allowedWhenDamaged = (earlier + [done]).map { Self.readDamaged($0) }
        var violations: [String] = []
        for (index, system) in ([system] + system.powerLosses()).enumerated() {
            let now = index == 0 ? "now" : "after a loss of power"
            let reader = system.reopened()
            let found = observe(Self.store(reader))
            if !(index == 0 ? allowed : allowedLater).contains(found) {
                violations.append("\(text(found)) \(now)")
            }
            if reader.hasTornFile { violations.append("a part of a file \(now)") }
            // A loss of power that undoes a persist may leave both names with one file.
            let previous = Self.readDamaged(system, asAnotherFile: index > 0)
            if !allowedWhenDamaged.contains(previous) {
                violations.append("\(text(previous)) as the previous version \(now)")
            }
            let names = system.names(in: Self.folder)
            if hasEnded, after == nil, removesAll, names != [".lock"] {
                violations.append("\(names) \(now)")
            }
        }
        // Another process may rely on the effects of this one, and a durable effect comes after
        // everything that was persisted before it, such as the record of a download after its
        // document.
        let next = system.reopened()
        try Self.persist(9, Self.store(next))
        try Self.store(next).updateClientState(named: "record") { _ in Data() }
        if !next.powerLosses().allSatisfy({ Self.version(Self.store($0.reopened())) == 9 }) {
            violations.append("the next version is lost")
        }
        return violations
    }

    private func text(_ number: Int?) -> String { number.map(String.init) ?? "nothing" }

    /// True if a fault leads to a violation, at whichever call the process ends.
    func isNoticed(_ faults: ModelFileSystem.Faults, on start: ModelFileSystem) throws -> Bool {
        let count = try calls(on: start).count
        for ending in (0...count).reversed() {
            var faults = faults
            faults.ending = ending
            let system = start.reopened(faults)
            let hasEnded = run(on: system) == nil && ending == count
            if try !violations(from: start, to: system, hasEnded: hasEnded).isEmpty { return true }
            // Without the fault, the previous version exists at the end.
            let done = start.reopened()
            run(on: done)
            if hasEnded, Self.readDamaged(system) != Self.readDamaged(done) { return true }
        }
        return false
    }

    /// Result of a new process's read.
    func read(_ system: ModelFileSystem) -> Int? { observe(Self.store(system.reopened())) }

    @Sendable private static func version(_ store: FileDefaultsStore) -> Int? {
        let read = store.ownConfiguration(forUserID: nil)
        return read?.section(named: "S")?.integer(forKey: "number")
    }

    @Sendable private static func pending(_ store: FileDefaultsStore) -> Int? {
        let read = try? store.pendingConfiguration(forUserID: nil)
        return read?.section(named: "S")?.integer(forKey: "number")
    }

    private static func persistPending(_ number: Int?, _ store: FileDefaultsStore) throws {
        try store.persistPendingConfiguration(number.map(configuration), forUserID: nil)
    }

    /// Version 1, and pending versions, one after the other.
    private static func preparePending(
        _ system: ModelFileSystem, _ numbers: Int...
    ) throws -> ModelFileSystem {
        try persist(1, store(system))
        for number in numbers { try persistPending(number, store(system)) }
        return system.settled()
    }

    /// The first download was already recorded.
    private struct NotTheFirst: Error {}

    /// Version that a new process reads after the current version's file is damaged.
    static func readDamaged(_ system: ModelFileSystem, asAnotherFile: Bool = false) -> Int? {
        let system = system.reopened()
        system.damage(current, asAnotherFile: asAnotherFile)
        return version(store(system))
    }

    /// True if another process can persist, record and remove, and then leaves no files behind.
    static func canGoOn(_ system: ModelFileSystem) throws -> Bool {
        let system = system.reopened()
        try persist(9, store(system))
        guard version(store(system)) == 9 else { return false }
        try store(system).recordFirstDownloadFinished()
        guard store(system).firstDownloadFinished else { return false }
        try persist(nil, store(system))
        return system.names(in: folder) == [".lock", "first-download-finished"]
    }

    private static func store(_ system: ModelFileSystem) -> FileDefaultsStore {
        FileDefaultsStore(directory: URL(filePath: folder), log: .disabled, system: system)
    }

    private static func persist(_ number: Int?, _ store: FileDefaultsStore) throws {
        try store.persistConfiguration(number.map(configuration), forUserID: nil)
    }

    private static func configuration(_ number: Int) -> ConfigurationState {
        ConfigurationState(
            meta: [:], sections: ["S": ActiveConfigSection(settings: ["number": .integer(number)])])
    }

    private static func prepare(
        _ system: ModelFileSystem, _ numbers: Int?...
    ) throws -> ModelFileSystem {
        for number in numbers { try persist(number, store(system)) }
        return system.settled()
    }
}
