import ActiveConfigTesting
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SharedConfigurationTests {
    /// Problems and exposures are recorded in the configuration that has the value.
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

    @Test func aMissingConfigurationIsLoggedOnceForEachSetting() {
        let shared = SharedConfiguration()
        let log = RecordingLog()
        shared.log.withLock { $0 = log.log }
        for _ in 0..<2 {
            shared.reportMissing(for: SettingSelection(SettingKey<Int>.columns))
            shared.reportMissing(for: SettingSelection(SettingKey("Other", "a", default: 0)))
        }
        let errors = log.messages(ofLevel: .error)
        #expect(errors.count == 2 && errors.first?.contains("'Home.columns'") == true)
    }
}
