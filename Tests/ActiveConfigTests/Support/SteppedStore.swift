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

    func afterNextRead(of userID: String, _ body: @escaping @Sendable () -> Void) {
        read.withLock { $0 = (userID, body) }
    }

    func afterNextPendingRead(of userID: String, _ body: @escaping @Sendable () -> Void) {
        pendingRead.withLock { $0 = (userID, body) }
    }

    func afterNextPersist(of userID: String, _ body: @escaping @Sendable () -> Void) {
        persist.withLock { $0 = (userID, body) }
    }

    /// Before the next change of a record of the client's.
    func beforeNextUpdate(of name: String, _ body: @escaping @Sendable () -> Void) {
        update.withLock { $0 = (name, body) }
    }

    func beforeNextRemoval(_ body: @escaping @Sendable () -> Void) {
        removal.withLock { $0 = body }
    }

    func record(_ record: StoreRecord) -> Data? {
        let found = base.record(record)
        if case .pendingConfiguration(let userID) = record.kind {
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
        if case .clientState(let name) = record.kind { run(update, of: name) }
        base.updateRecord(record, change)
    }

    var firstDownloadFinished: Bool { base.firstDownloadFinished }

    func recordFirstDownloadFinished() -> Bool { base.recordFirstDownloadFinished() }
}
