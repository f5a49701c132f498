import ActiveConfig
import ActiveConfigTesting
import Foundation
import Observation
import Testing

/// Settings that are observed one by one on the main actor.
@MainActor
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ObservableActiveConfigTests {
    private struct Home: SettingsSection, Equatable {
        static let sectionName = "Home"
        var columns = 2
        var title = "none"
    }

    private func make(
        _ sections: [String: ActiveConfigSection] = [
            "Checkout": ["isOn": true, "isOther": false], "Home": ["columns": 3, "title": "x"],
        ]
    ) -> ActiveConfig { .make(configuration: .make(sections: sections)) }

    /// Returns after the main actor has taken over the active configuration.
    private func settle(_ observer: ObservableActiveConfig, until isSettled: () -> Bool) async {
        while !isSettled(), !Task.isCancelled { await Task.yield() }  // deadline: no other bound
        // deadline: each yield lets queued changes run on the main actor
        for _ in 0..<20 { await Task.yield() }
    }

    @Test func theFirstValuesAreThereAtOnce() {
        let observer = ObservableActiveConfig(make())
        #expect(observer[.isOn] && observer[.columns] == 3 && observer[.title] == "x")
        #expect(observer["Home"]?.integer(forKey: "columns") == 3)
        #expect(observer.section(Home.self) == Home(columns: 3, title: "x"))
        #expect(observer.userID == nil && observer.reason == .restored)
    }

    @Test func onlyWhoReadsAChangedSettingIsNotified() async {
        let config = make()
        let observer = ObservableActiveConfig(config)
        let isOn = Watch { _ = observer[.isOn] }
        let isOther = Watch { _ = observer[.isOther] }
        let columns = Watch { _ = observer[.columns] }
        let home = Watch { _ = observer["Home"] }
        let decoded = Watch { _ = observer.section(Home.self) }
        let user = Watch { _ = observer.userID }
        config.setDefaults(["Checkout": ["new": 1]])
        config.overrides.set(7, for: SettingPath("Home", "columns"))
        await settle(observer) { observer[.columns] == 7 }
        #expect(isOn.count + isOther.count + user.count == 0)
        #expect(columns.count == 1 && home.count == 1 && decoded.count == 1)
        #expect(observer.reason == .overridden)
    }

    @Test func anEqualValueDoesNotNotify() async {
        let config = make()
        let observer = ObservableActiveConfig(config)
        let columns = Watch { _ = observer[.columns] }
        let title = Watch { _ = observer[.title] }
        config.overrides.set(3, for: SettingPath("Home", "columns"))
        config.overrides.set("y", for: SettingPath("Home", "title"))
        await settle(observer) { observer[.title] == "y" }
        #expect(columns.count == 0 && title.count == 1)
    }

    @Test func aNotifiedObserverReadsTheNewValue() async {
        let config = make()
        let observer = ObservableActiveConfig(config)
        var seen: [Int] = []
        withObservationTracking {
            _ = observer[.columns]
        } onChange: {
            MainActor.assumeIsolated { seen.append(observer[.columns]) }
        }
        config.overrides.set(9, for: SettingPath("Home", "columns"))
        await settle(observer) { !seen.isEmpty }
        #expect(seen == [9])
    }

    @Test func anotherUserIsAChangeOfTheUserAndOfDifferentValues() async {
        let store = InMemoryStore()
        store.persistConfiguration(
            .make(sections: ["Checkout": ["isOn": true]]), forUserID: "1")
        let config = ActiveConfig.make(store: store)
        let observer = ObservableActiveConfig(config)
        let user = Watch { _ = observer.userID }
        let isOn = Watch { _ = observer[.isOn] }
        config.currentUserID = "1"
        await settle(observer) { observer.userID == "1" }
        #expect(observer[.isOn] && user.count == 1 && isOn.count == 1)
        #expect(observer.reason == .userChanged)
    }

    /// The writers run on other threads, as downloads do.
    @Test func theLastValueIsAlwaysSeen() async {
        for round in 0..<20 {
            let config = make()
            let observer = ObservableActiveConfig(config)
            var last = 0
            let columns = Watch { last = observer[.columns] }
            await withTaskGroup { group in
                for writer in 0..<8 {
                    group.addTask { @concurrent in
                        for number in 0..<25 {
                            config.overrides.set(
                                .integer(writer * 1_000 + number),
                                for: SettingPath("Home", "columns"))
                        }
                    }
                }
            }
            let expected = config[.columns]
            await settle(observer) { last == expected }
            #expect(last == expected, "round \(round)")
            #expect(columns.count <= 200)
        }
    }

    @Test func theObserverEndsWithItsConfiguration() async {
        weak var config: ActiveConfig?
        do {
            let made = make()
            config = made
            #expect(ObservableActiveConfig(made)[.isOn])
        }
        // deadline: a release sends no signal
        while config != nil, !Task.isCancelled { await Task.yield() }
        #expect(config == nil)
    }

    /// As when a user signs in and gets the generic user's configuration.
    @Test func aUserWithTheSameSettingsIsNoticed() async {
        let config = make()
        let observer = ObservableActiveConfig(config)
        let watch = Watch { _ = observer.userID }
        config.currentUserID = "1"
        await settle(observer) { watch.count > 0 }
        #expect(observer.userID == "1" && watch.count == 1)
    }

    @Test func aValueThatEqualsTheDefaultDoesNotNotify() async {
        let config = make(["Home": ["title": "x"]])
        let observer = ObservableActiveConfig(config)
        let other = SettingKey("Home", "columns", default: 5)
        let (watch, otherWatch) = (
            Watch { _ = observer[.columns] }, Watch { _ = observer[other] }
        )
        config.setDefaults(["Home": ["columns": .integer(observer[.columns])]])
        await settle(observer) { otherWatch.count > 0 }
        // Both keys refer to the same setting.
        #expect(observer[other] == observer[.columns] && watch.count == 1)

        let last = make(["Home": ["title": "x"]])
        let third = ObservableActiveConfig(last)
        let thirdWatch = Watch { _ = third[.columns] }
        last.setDefaults(["Home": ["columns": .integer(third[.columns]), "a": 1]])
        await settle(third) { third["Home"]?["a"] != nil }
        #expect(thirdWatch.count == 0)
    }

    private func waiting() async throws -> (config: ActiveConfig, log: RecordingLog) {
        let log = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(
                .configuration(.make(sections: ["Home": ["columns": "many", "title": "x"]]))),
            store: InMemoryStore(
                bootstrap: .state(.make(sections: ["Home": ["columns": "many", "title": "old"]]))),
            options: ActiveConfigOptions(activationPolicy: .manual), log: log.log)
        try await config.downloadNewConfig()
        return (config, log)
    }

    @Test func pendingChangesFollowWhatIsActiveToo() async throws {
        let config = try await waiting().config
        let observer = ObservableActiveConfig(config)
        let watch = Watch { _ = observer.pendingChanges }
        #expect(observer.pendingChanges.map(\.sectionName) == ["Home"])
        config.overrides.set("x", for: SettingPath("Home", "title"))
        await settle(observer) { watch.count > 0 }
        #expect(observer.pendingChanges.isEmpty)
    }

    /// With an override, the activation changes no section.
    @Test func anActivationThatChangesNoSectionIsNoticed() async throws {
        let config = try await waiting().config
        config.overrides.set("x", for: SettingPath("Home", "title"))
        let observer = ObservableActiveConfig(config)
        #expect(observer.status.freshness != .upToDate)
        let watch = Watch { _ = observer.status }
        await config.activate()
        await settle(observer) { watch.count > 0 }
        #expect(observer.status.freshness == .upToDate)
    }

    @Test func readingWhatWaitsIsNoNews() async throws {
        let (config, log) = try await waiting()
        let reads = Locked(0)
        let subscription = config.addObserver(
            ClosureObserver { event in
                if case .read = event.kind { reads.withLock { $0 += 1 } }
            })
        let count = log.messages.count
        for _ in 0..<2 { #expect(config.snapshot.pending?[.columns] == 2) }
        #expect(config.snapshot.pending?.section(Home.self).title == "x")
        #expect(reads.withLock { $0 } == 0 && log.messages.count == count)
        #expect(config[.columns] == 2 && reads.withLock { $0 } == 1)
        subscription.cancel()
    }
}
