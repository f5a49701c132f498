package import Foundation

/// A store whose calls mark their thread: the framework calls a store by nothing else.
///
/// A store, or an app that observes user defaults, may call the framework from there; see
/// ``ThreadMark/storeCall``.
package struct MarkedStore: ActiveConfigStore {
    let base: any ActiveConfigStore

    package init(_ base: any ActiveConfigStore) { self.base = (base as? MarkedStore)?.base ?? base }

    private func call<Result>(
        _ body: (any ActiveConfigStore) throws -> Result
    ) rethrows -> Result {
        try ThreadMark.storeCall.run { try body(base) }
    }

    package var fallback: StoreFallback { call { $0.fallback } }

    package func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        call { $0.lastKnownActiveConfiguration(forUserID: userID) }
    }

    package func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        call { $0.ownConfiguration(forUserID: userID) }
    }

    package func ownEntityTag(forUserID userID: String?) -> String? {
        call { $0.ownEntityTag(forUserID: userID) }
    }

    package func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        try call { try $0.persistConfiguration(configuration, forUserID: userID) }
    }

    package func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) throws -> Bool {
        try call {
            try $0.persistConfiguration(configuration, forUserID: userID, unlessStored: isLater)
        }
    }

    package var firstDownloadFinished: Bool { call { $0.firstDownloadFinished } }

    package func recordFirstDownloadFinished() throws -> Bool {
        try call { try $0.recordFirstDownloadFinished() }
    }

    package func record(_ record: StoreRecord) throws -> Data? {
        try call { try $0.record(record) }
    }

    package func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        try call { try $0.updateRecord(record, change) }
    }
}
