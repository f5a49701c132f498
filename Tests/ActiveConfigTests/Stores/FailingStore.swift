import Foundation

@testable import ActiveConfig

/// In-memory store that keeps records and fails for the given calls.
final class FailingStore: ActiveConfigStore {
    /// A call that can fail.
    enum Call {
        case updateClientState, persistConfiguration, removeConfiguration
    }

    struct Failure: Error {}

    let base = InMemoryStore()
    private let failing: Locked<Set<Call>>
    private let updates = Locked(0)

    /// Number of changes of records.
    var updateCount: Int { updates.withLock { $0 } }

    init(_ failing: Set<Call>) { self.failing = Locked(failing) }

    private func fails(_ call: Call) -> Bool { failing.withLock { $0.contains(call) } }

    /// Lets only these of the further calls fail.
    func fail(_ calls: Set<Call>) { failing.withLock { $0 = calls } }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        base.lastKnownActiveConfiguration(forUserID: userID)
    }

    func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        base.ownConfiguration(forUserID: userID)
    }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        if fails(configuration == nil ? .removeConfiguration : .persistConfiguration) {
            throw Failure()
        }
        base.persistConfiguration(configuration, forUserID: userID)
    }

    func record(_ record: StoreRecord) throws -> Data? {
        guard case .clientState = record.kind else { throw StoreRecord.UnsupportedError() }
        return base.record(record)
    }

    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        guard case .clientState = record.kind else { throw StoreRecord.UnsupportedError() }
        updates.withLock { $0 += 1 }
        if fails(.updateClientState) { throw Failure() }
        base.updateRecord(record, change)
    }
}
