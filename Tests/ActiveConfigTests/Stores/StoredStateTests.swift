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
}
