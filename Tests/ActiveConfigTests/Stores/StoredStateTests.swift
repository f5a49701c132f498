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

    @Test(arguments: InterruptedStore.Failure.allCases)
    fileprivate func aFailedWriteLosesNothingOfAnotherProcess(failure: InterruptedStore.Failure) {
        let store = InterruptedStore()
        func launch() -> StoredState<[String]> {
            StoredState("record", initial: [], store: store, log: .disabled)
        }
        func add(_ name: String, to state: StoredState<[String]>) {
            state.update { if !$0.contains(name) { $0.append(name) } }
        }
        let (one, other) = (launch(), launch())
        add("a", to: one)
        store.failing(failure) { add("b", to: one) }
        #expect(one.value == ["a", "b"], "in memory")
        add("c", to: other)
        one.refresh()
        #expect(Set(one.value) == ["a", "b", "c"])
        add("d", to: one)
        #expect(Set(one.value) == ["a", "b", "c", "d"])
        #expect(launch().value == one.value)
    }

    @Test(arguments: InterruptedStore.Failure.allCases)
    fileprivate func aChangeOfAFailedWriteCountsOnce(failure: InterruptedStore.Failure) {
        let store = InterruptedStore()
        func launch() -> StoredState<Value> {
            StoredState("record", initial: Value(), store: store, log: .disabled)
        }
        let state = launch()
        state.update { $0.number += 1 }
        store.failing(failure) { for _ in 1...3 { state.update { $0.number += 1 } } }
        #expect(state.value.number == 4)
        state.refresh()
        #expect(state.value.number == 4)
        state.update { $0.number += 1 }
        #expect(state.value.number == 5)
        #expect(launch().value.number == 5)
    }

    @Test func aStoreThatFailsForLongIsReplacedByTheValueInMemory() {
        let store = InterruptedStore()
        func launch() -> StoredState<[Int]> {
            StoredState("record", initial: [], store: store, log: .disabled)
        }
        let (one, other) = (launch(), launch())
        store.failing(.atOnce) { for number in 0..<1_000 { one.update { $0.append(number) } } }
        other.update { $0.append(-1) }
        one.update { $0.append(1_000) }
        #expect(one.value == Array(0...1_000))
        #expect(launch().value == one.value)
    }

    @Test func aStoreThatKeepsNoRecordsLeavesTheValueInMemory() {
        let store = RecordlessStore()
        let state = StoredState("record", initial: Value(), store: store, log: .disabled)
        for number in 1...3 {
            state.update { $0.number += 1 }
            state.refresh()
            #expect(state.value.number == Double(number))
        }
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

/// A store of records whose writes can fail at each step.
private final class InterruptedStore: ActiveConfigStore {
    enum Failure: CaseIterable {
        case atOnce, beforeItIsStored, whenItIsStored
    }

    private struct Failed: Error {}

    private let base = InMemoryStore()
    private let failure = Locked<Failure?>(nil)

    func failing(_ failure: Failure, _ body: () -> Void) {
        self.failure.withLock { $0 = failure }
        body()
        self.failure.withLock { $0 = nil }
    }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? { nil }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {}

    func record(_ record: StoreRecord) throws -> Data? { base.record(record) }

    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        let failure = failure.withLock { $0 }
        switch failure {
        case .atOnce: break
        case .beforeItIsStored: _ = change(base.record(record))
        case .whenItIsStored, nil: base.updateRecord(record, change)
        }
        if failure != nil { throw Failed() }
    }
}

private struct RecordlessStore: ActiveConfigStore {
    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? { nil }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {}
}
