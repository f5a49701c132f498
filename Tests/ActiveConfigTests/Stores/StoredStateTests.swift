import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

struct StoredStateTests {
    private struct Value: Codable, Equatable {
        var number = 0.0
    }

    @Test func aValueThatCannotBeEncodedLeavesTheRecord() {
        let store = InMemoryStore()
        let log = RecordingLog()
        let state = StoredState("record", initial: Value(), store: store, log: log.log)
        state.update { $0.number = 1 }
        let record = store.clientState(named: "record")
        #expect(record != nil)
        state.update { $0.number = .infinity }
        #expect(store.clientState(named: "record") == record)
        #expect(state.value.number == .infinity, "in this launch")
        #expect(log.messages(ofLevel: .warning).count == 1)
        state.update { $0.number = 2 }
        let next = StoredState("record", initial: Value(), store: store, log: log.log)
        #expect(next.value.number == 2)
    }

    @Test func aStoreThatCallsTheChangeTwiceChangesTheValueOnce() {
        let store = RetryingStore()
        let state = StoredState("record", initial: Value(), store: store, log: .disabled)
        for number in 1...3 {
            state.update { $0.number += 1 }
            #expect(state.value.number == Double(number))
        }
        let next = StoredState("record", initial: Value(), store: store, log: .disabled)
        #expect(next.value.number == 3)
    }
}

/// A store that begins each write of a record twice, as a database after a conflict.
private struct RetryingStore: ActiveConfigStore {
    let base = InMemoryStore()

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        base.lastKnownActiveConfiguration(forUserID: userID)
    }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        base.persistConfiguration(configuration, forUserID: userID)
    }

    func record(_ record: StoreRecord) throws -> Data? { base.record(record) }

    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        _ = change(base.record(record))
        base.updateRecord(record, change)
    }
}
