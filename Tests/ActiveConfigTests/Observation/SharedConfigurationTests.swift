import ActiveConfigTesting
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SharedConfigurationTests {
    /// A problem and an exposure belong to the configuration that has the value.
    @Test func aValueIsReadByTheConfigurationThatHasIt() async {
        let shared = SharedConfiguration()
        let (log, otherLog) = (RecordingLog(), RecordingLog())
        let document = ConfigurationState.make(sections: ["Home": ["columns": "many"]])
        let store = ObservedStore(InMemoryStore(bootstrap: .state(document)))
        let other = ActiveConfig.make(log: otherLog.log)
        store.afterNextRead { shared.config = other }
        shared.config = .make(store: store, log: log.log)
        var values = shared.values(of: SettingSelection(SettingKey<Int>.columns))
            .makeAsyncIterator()
        #expect(await values.next() == 2)
        #expect(shared.config === other)
        let warnings = log.messages(ofLevel: .warning).filter { !$0.contains("keeps no records") }
        #expect(warnings.count == 1)
        #expect(otherLog.messages(ofLevel: .warning) == [])
    }
}
