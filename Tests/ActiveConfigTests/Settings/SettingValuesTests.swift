import ActiveConfig
import ActiveConfigTesting
import Testing

/// The sequence of a setting's values.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SettingValuesTests {
    private let config = ActiveConfig.make(
        configuration: .make(sections: ["Home": ["title": "one", "columns": 1]]))

    @Test func theSequenceStartsWithTheCurrentValue() async {
        var values = config.values(for: .title).makeAsyncIterator()
        #expect(await values.next() == "one")
        config.overrides.set("two", for: SettingPath("Home", "title"))
        #expect(await values.next() == "two")
    }

    @Test func theSequenceStartsWithTheDefaultWhenThereIsNoSetting() async {
        var values = config.values(for: .isOn).makeAsyncIterator()
        #expect(await values.next() == false)
        config.overrides.set(true, for: SettingPath("Checkout", "isOn"))
        #expect(await values.next() == true)
    }

    @Test func anotherSettingsChangeIsNoneOfThisOne() async {
        var values = config.values(for: .title).makeAsyncIterator()
        #expect(await values.next() == "one")
        config.overrides.set(2, for: SettingPath("Home", "columns"))
        config.overrides.set("two", for: SettingPath("Home", "title"))
        #expect(await values.next() == "two")
    }

    /// The same value from another layer, or in another form.
    @Test func anEqualValueIsNone() async {
        let config = ActiveConfig.make(
            configuration: .make(sections: ["Checkout": ["isOn": true], "Home": ["title": "one"]]))
        var values = config.values(for: .isOn).makeAsyncIterator()
        #expect(await values.next() == true)
        config.overrides.set("yes", for: SettingPath("Checkout", "isOn"))
        config.setDefaults(["Checkout": ["isOn": false]])
        config.overrides.set("off", for: SettingPath("Checkout", "isOn"))
        #expect(await values.next() == false)
    }

    @Test func theSequenceEndsWithItsTask() async {
        let task = Task { [config] in
            var count = 0
            for await _ in config.values(for: .title) {
                count += 1
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }
            return count
        }
        #expect(await task.value == 1)
    }

    @Test func aValueThatEqualsTheDefaultIsNoNewOne() async {
        let config = ActiveConfig.make(configuration: .make(sections: ["Z": ["z": 1]]))
        let key = SettingKey("Q", "count", default: 2)
        var values = config.values(for: key).makeAsyncIterator()
        #expect(await values.next() == 2)
        config.setDefaults(["Q": ["count": 2]])
        config.setDefaults(["Q": ["count": "2"]])
        config.setDefaults([:])
        config.setDefaults(["Q": ["count": 3]])
        #expect(await values.next() == 3)
    }
}
