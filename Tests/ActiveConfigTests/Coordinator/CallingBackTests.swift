import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigReporting
@testable import ActiveConfigTrust

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// App code that the framework calls may call the framework: nothing that such a call waits for is
/// held while the framework calls out.
// Serialized: a probe can find the framework that it calls only through a global. The time limit
// only bounds a hang.
@Suite(.timeLimit(.minutes(Rounds.minutes)), .serialized)
struct CallingBackTests {
    /// A value that calls back when it is read and when it is released.
    private final class Probe: SettingConvertible {
        static let shared = Locked<CallingBack?>(nil)

        init() {}

        init?(settingValue: SettingValue) {
            Probe.shared.withLock { $0 }?.callBack(from: .decoding)
        }

        deinit { Probe.shared.withLock { $0 }?.callBack(from: .deinitialization) }
    }

    private static let probe = SettingKey("Home", "title", default: Probe())

    private static func document(_ number: Int) -> ConfigurationState {
        ConfigurationState.make(
            meta: ["template_version": .integer(number)],
            sections: ["Home": ["title": .string("\(number)")]], entityTag: "\"\(number)\""
        ).asking(share: 1)
    }

    /// Several users at once, so that calls contend with each other.
    private func use(_ app: CallingBack.App) async {
        let config = app.config
        await withTaskGroup { group in
            for user in ["a", "b", nil] {
                group.addTask {
                    for round in 0..<10 {
                        let handle = config.configuration(forUserID: user)
                        _ = try? await handle.download()
                        _ = handle[Self.probe]
                        await handle.activate()
                        config.currentUserID = user
                        _ = config[Self.probe]
                        _ = try? await config.fetchAndActivate()
                        app.crashGuard.markHealthy()
                        try? await app.signals.setCustomSignals(["round": .integer(round)])
                        await config.markStale()
                        await config.reload()
                        if round == 5, let user { try? await config.forgetUser(user) }
                    }
                }
            }
        }
    }

    private func launch(
        _ shared: CallingBack, _ activation: ActivationPolicy, _ store: any ActiveConfigStore
    ) throws -> (CallingBack.App, CoordinatorFixture) {
        let log = ActiveConfigLog(minimumLevel: .debug) { _, _ in shared.callBack(from: .log) }
        let crashGuard = CrashGuard()
        let options = ActiveConfigOptions(
            activationPolicy: activation, overridePolicy: .settable, vetting: [crashGuard], log: log
        )
        let queue = DispatchQueue(label: "listeners")
        let center = NotificationCenter()
        let downloader = ScriptedDownloader { request in
            shared.callBack(from: .downloader)
            return request.number.isMultiple(of: 5)
                ? .failure(DownloadError(.timedOut))
                : .configuration(Self.document(request.number))
        }
        let config = ActiveConfig(
            configDownloader: downloader, configStore: store, notificationCenter: center,
            listenerQueue: queue, options: options)
        let url = try #require(URL(string: "http://server/base"))
        let head = try #require(
            HTTPURLResponse(url: url, statusCode: 204, httpVersion: nil, headerFields: nil))
        let app = CallingBack.App(
            config: config, crashGuard: crashGuard,
            signals: ClientSignals(platform: { PlatformSignals() }, store: store, log: log),
            acknowledger: ConfigurationAcknowledger(
                config, backend: ActiveConfigBackend(url: url), maximumDelay: .zero,
                clock: ContinuousClock(), random: { 0.5 }, send: { _ in (Data(), head) }),
            exposures: ExposureRecorder(config) { _ in shared.callBack(from: .exposure) })
        let fixture = CoordinatorFixture(
            config: config, downloader: downloader, queue: queue, center: center,
            log: RecordingLog())
        return (app, fixture)
    }

    private func run(
        _ shared: CallingBack, _ activation: ActivationPolicy, _ store: any ActiveConfigStore,
        first: (CallingBack.App) -> Void = { _ in }
    ) async throws {
        let (app, fixture) = try launch(shared, activation, store)
        shared.use(app)
        first(app)
        Probe.shared.withLock { $0 = shared }
        defer { shared.use(nil) }
        let token = app.config.observe(sectionNamed: "Home") { _ in
            shared.callBack(from: .listener)
        }
        let observation = app.config.addObserver(CallingBack.Observer(shared: shared))
        let observer = fixture.center.addObserver(
            forName: ActiveConfig.downloadUpdateFinishedNotification, object: nil, queue: nil
        ) { _ in shared.callBack(from: .notification) }
        await use(app)
        await app.exposures.flush()
        await app.acknowledger.drain()
        await app.acknowledger.waitForAnswers()
        app.crashGuard.drain()
        fixture.drain()
        fixture.center.removeObserver(observer)
        token.cancel()
        observation.cancel()
        app.crashGuard.willTerminate()
    }

    @Test(arguments: CallingBack.Place.allCases)
    func everyCallReturns(place: CallingBack.Place) async throws {
        for activation in [ActivationPolicy.immediate, .manual] {
            let shared = CallingBack(place)
            try await run(shared, activation, CallingStore(shared))
            #expect(!shared.sites.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func aStoreMayCallBackFromEachOfItsMethodsAndRecords(isOpaque: Bool) async throws {
        let shared = CallingBack(.store)
        let store = CallingStore(shared, isOpaque: isOpaque)
        // A record is read once in a launch.
        try await run(shared, .manual, store) { _ = $0.signals.custom }
        try await run(shared, .manual, store) { _ = $0.crashGuard.judgedRecord() }
        let records = [
            "downloads", "signals", "crash-guard", "acknowledgements", "pending", "good",
        ]
        var sites = Set(records.flatMap { ["read \($0)", "update \($0)"] })
        sites.formUnion(["own", "tag", "persist", "persist unless", "is first", "first"])
        if isOpaque { sites.insert("last known") }
        #expect(sites.subtracting(shared.sites).sorted() == [])
    }

    /// User defaults notify their observers on the thread that writes.
    @Test func anObserverOfUserDefaultsMayCallBack() async throws {
        let name = "ActiveConfigTests.\(UUID().uuidString)"
        let defaults = try #require(NotifyingDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        let shared = CallingBack(.userDefaults)
        let observer = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
        ) { _ in shared.callBack(from: .userDefaults) }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await run(shared, .manual, UserDefaultsStore(userDefaults: defaults))
        #expect(!shared.sites.isEmpty)
    }

    /// Those of Linux notify nobody.
    private final class NotifyingDefaults: UserDefaults {
        #if !canImport(Darwin)
            override func set(_ value: Any?, forKey name: String) {
                super.set(value, forKey: name)
                NotificationCenter.default.post(name: Self.didChangeNotification, object: self)
            }

            override func removeObject(forKey name: String) {
                super.removeObject(forKey: name)
                NotificationCenter.default.post(name: Self.didChangeNotification, object: self)
            }
        #endif
    }

    /// The store is called by the first read of a launch after a crash, when the guard counts it.
    @Test func anObserverMayReadWhileTheGuardCountsACrash() throws {
        let store = SteppedStore()
        store.base.persistConfiguration(GuardedLaunch.document(2), forUserID: nil)
        let good = try StoredRecord.encode(GuardedLaunch.document(1), of: .generic)
        store.base.updateClientState(named: "good-generic") { _ in good }
        let dead = ProcessIdentity(
            token: "dead", number: ProcessIdentity.current.number,
            host: ProcessIdentity.current.host, boot: ProcessIdentity.current.boot, start: nil)
        var record = LaunchRecord()
        record.begin(LaunchRecord.Document(GuardedLaunch.document(2), of: .generic), in: dead)
        let data = try JSONEncoder().encode(record)
        store.base.updateClientState(named: "crash-guard") { _ in data }
        let crashGuard = CrashGuard(crashLimit: 1)
        var options = ActiveConfigOptions()
        options.vetting = [crashGuard]
        let config = ActiveConfig.make(store: store, options: options)
        let versions = Locked<[Int?]>([])
        let read = { @Sendable in
            let version = config["Home"]?.integer(forKey: "version")
            versions.withLock { $0.append(version) }
        }
        store.beforeNextUpdate(of: "crash-guard", read)
        read()
        #expect(versions.withLock { $0 } == [1, 1], "the refused version 2 was never active")
        #expect(crashGuard.verdict?.templateVersion == 2)
        crashGuard.willTerminate()
    }

    /// Two records, each of which is changed by the store while it writes the other.
    @Test func twoRecordsThatAStoreChangesFromEachOtherAreBothStored() {
        let base = InMemoryStore()
        let states = Locked<[String: StoredState<Int>]>([:])
        let store = CallingStore(base: base) { site in
            let other = ["update one": "two", "update two": "one"][site]
            guard let state = other.flatMap({ other in states.withLock { $0[other] } }),
                state.value < 2_000
            else { return }
            state.update { $0 += 1_000 }
        }
        for name in ["one", "two"] {
            let state = StoredState(name, initial: 0, store: store, log: .disabled)
            states.withLock { $0[name] = state }
        }
        let count = Rounds.count(500, nightly: 5_000)
        let (one, two) = states.withLock { ($0["one"], $0["two"]) }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            for _ in 0..<count { (index.isMultiple(of: 2) ? one : two)?.update { $0 += 1 } }
        }
        for state in [one, two] { state?.write() }
        for name in ["one", "two"] {
            let value = states.withLock { $0[name] }?.value ?? 0
            #expect(value >= 2_000 && value % 1_000 == 2 * count % 1_000)
            let data = base.clientState(named: name)
            #expect(data.map { String(decoding: $0, as: UTF8.self) } == "\(value)")
        }
    }

    /// A task is no part of the store's call that starts it.
    @Test func aTaskThatAStoreStartsForgetsAUserBeforeItContinues() async throws {
        let store = SteppedStore()
        store.base.persistConfiguration(.titled(["Home": "1"]), forUserID: "a")
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(.titled(["Home": "2"]))), store: store)
        let heard = Locked(false)
        let observation = config.addObserver(ForgettingObserver(heard: heard))
        defer { observation.cancel() }
        let (isDone, wasHeard) = (DispatchSemaphore(value: 0), Locked(false))
        store.beforeNextWrite(of: "b", isPending: false) {
            Task {
                try? await config.forgetUser("a")
                wasHeard.withLock { $0 = heard.withLock { $0 } }
                isDone.signal()
            }
            // The store's call is not over before.
            isDone.wait()
        }
        try await config.configuration(forUserID: "b").download()
        #expect(wasHeard.withLock { $0 })
    }

    private struct ForgettingObserver: ConfigurationObserving {
        let heard: Locked<Bool>

        func observe(_ event: ConfigurationEvent) {
            if case .forgotten = event.kind { heard.withLock { $0 = true } }
        }
    }
}
