import ActiveConfigTesting
import Foundation

@testable import ActiveConfig

/// In-memory store that runs a test's closure between its steps, once.
final class SteppedStore: ActiveConfigStore {
    let base = InMemoryStore()
    private typealias Step = (userID: String, body: @Sendable () -> Void)
    private let read = Locked<Step?>(nil)
    private let pendingRead = Locked<Step?>(nil)
    private let removal = Locked<(@Sendable () -> Void)?>(nil)
    private let persist = Locked<Step?>(nil)
    private let update = Locked<Step?>(nil)
    private let write = Locked<Step?>(nil)
    private let isPendingWrite = Locked(false)
    private let pendingReads = Locked(0)

    /// Number of reads of the pending document.
    var pendingReadCount: Int { pendingReads.withLock { $0 } }

    func afterNextRead(of userID: String, _ body: @escaping @Sendable () -> Void) {
        read.withLock { $0 = (userID, body) }
    }

    func afterNextPendingRead(of userID: String, _ body: @escaping @Sendable () -> Void) {
        pendingRead.withLock { $0 = (userID, body) }
    }

    func afterNextPersist(of userID: String, _ body: @escaping @Sendable () -> Void) {
        persist.withLock { $0 = (userID, body) }
    }

    /// Runs `body` before the next change of a client record.
    func beforeNextUpdate(of name: String, _ body: @escaping @Sendable () -> Void) {
        update.withLock { $0 = (name, body) }
    }

    /// Runs `body` before the next change of a user's pending or own configuration.
    func beforeNextWrite(
        of userID: String, isPending: Bool, _ body: @escaping @Sendable () -> Void
    ) {
        isPendingWrite.withLock { $0 = isPending }
        write.withLock { $0 = (userID, body) }
    }

    func beforeNextRemoval(_ body: @escaping @Sendable () -> Void) {
        removal.withLock { $0 = body }
    }

    func record(_ record: StoreRecord) -> Data? {
        let found = base.record(record)
        if case .pendingConfiguration(let userID) = record.kind {
            pendingReads.withLock { $0 += 1 }
            run(pendingRead, of: userID.string)
        }
        return found
    }

    private func run(_ step: Locked<Step?>, of userID: String?) {
        let body = step.withLock { step -> (@Sendable () -> Void)? in
            guard let known = step, known.userID == userID else { return nil }
            step = nil
            return known.body
        }
        body?()
    }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        if configuration == nil {
            let body = removal.withLock { step in
                defer { step = nil }
                return step
            }
            body?()
        }
        base.persistConfiguration(configuration, forUserID: userID)
        run(persist, of: userID)
    }

    func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (Int) -> Bool
    ) -> Bool {
        if !isPendingWrite.withLock({ $0 }) { run(write, of: userID) }
        defer { run(persist, of: userID) }
        return base.persistConfiguration(
            configuration, forUserID: userID, unlessStored: isLater)
    }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let found = base.lastKnownActiveConfiguration(forUserID: userID)
        run(read, of: userID)
        return found
    }

    func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        base.ownConfiguration(forUserID: userID)
    }

    func ownEntityTag(forUserID userID: String?) -> String? {
        base.ownEntityTag(forUserID: userID)
    }

    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) {
        switch record.kind {
        case .clientState(let name): run(update, of: name)
        case .pendingConfiguration(let userID):
            if isPendingWrite.withLock({ $0 }) { run(write, of: userID.string) }
        }
        base.updateRecord(record, change)
    }

    var firstDownloadFinished: Bool { base.firstDownloadFinished }

    func recordFirstDownloadFinished() -> Bool { base.recordFirstDownloadFinished() }
}

extension ConfigurationState {
    /// A document of a version, whose two sections have the version as their title.
    static func versioned(_ version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": "\(version)", "Kill": "\(version)"].mapValues {
                ["title": .string($0)]
            }, entityTag: "\"\(version)\"")
    }
}
