import ActiveConfig
import Foundation
import Testing

/// The records of an in-memory store, whose calls never fail.
extension InMemoryStore {
    func clientState(named name: String) -> Data? { record(.clientState(named: name)) }

    func updateClientState(named name: String, _ change: (Data?) -> Data?) {
        updateRecord(.clientState(named: name), change)
    }

    func pendingConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let store: any ActiveConfigStore = self
        return try? store.pendingConfiguration(forUserID: userID)
    }

    func persistPendingConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) {
        let store: any ActiveConfigStore = self
        #expect(throws: Never.self) {
            try store.persistPendingConfiguration(configuration, forUserID: userID)
        }
    }
}
