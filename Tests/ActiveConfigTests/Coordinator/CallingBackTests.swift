import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// App code that the framework calls may call the framework: the framework holds no lock and blocks
/// no queue while it calls out.
// Serialized: a probe can find the framework that it calls only through a global.
@Suite(.timeLimit(.minutes(Rounds.minutes)), .serialized)
struct CallingBackTests {
    /// Places from which the framework calls app code.
    enum Place: CaseIterable, Sendable {
        case log, downloader, listener, notification, decoding, deinitialization, store
    }

    /// The framework instance of a test, shared by all places.
    private final class Shared: Sendable {
        private let config = Locked<ActiveConfig?>(nil)
        private let isCalling = Locked(false)
        private let calls = Locked<[String: Int]>([:])
        let place: Place

        init(_ place: Place) { self.place = place }

        func use(_ new: ActiveConfig?) { config.withLock { $0 = new } }

        var callCount: Int { calls.withLock { $0.values.reduce(0, +) } }

        /// Makes all calls, unless this is already a nested call.
        func callBack(from place: Place) {
            guard place == self.place, let config = config.withLock({ $0 }),
                isCalling.withLock({ known -> Bool in
                    defer { known = true }
                    return !known
                })
            else { return }
            defer { isCalling.withLock { $0 = false } }
            for (name, call) in Self.allCalls {
                call(config)
                calls.withLock { $0[name, default: 0] += 1 }
            }
        }

        /// Every kind of call that an app makes, except those that a store must not make.
        private static let allCalls: [(String, @Sendable (ActiveConfig) -> Void)] = [
            ("read", { _ = $0["Home"]?.title }),
            ("typed", { _ = $0[SettingKey("Home", "title", default: "")] }),
            ("decoded", { _ = $0[CallingBackTests.probe] }),
            ("currentConfiguration", { _ = $0.currentConfiguration }),
            ("pendingChanges", { _ = $0.pendingChanges }),
            ("explain", { _ = $0.diagnostics.explain(SettingPath("Home", "title")) }),
            ("report", { _ = $0.diagnostics.report().description }),
            ("status", { _ = $0.status }),
            ("handle", { _ = $0.configuration(forUserID: "h")["Home"] }),
            ("listen", { $0.observe(sectionNamed: "Home") { _ in }.cancel() }),
            ("defaults", { $0.setDefaults(["Other": ["n": 1]]) }),
            ("override", { $0.overrides.set("x", for: SettingPath("Over", "title")) }),
            ("markStale", { $0.markStale() }),
            ("download", { $0.startDownload() }),
            (
                "user",
                { config in
                    let user = config.currentUserID
                    config.currentUserID = user == "a" ? "b" : "a"
                    config.currentUserID = user
                }
            ),
            ("activate", { _ = $0.activate() }),
            ("activate of a handle", { _ = $0.configuration(forUserID: "h").activate() }),
            ("reload", { _ = $0.reload() }),
            ("snapshot", { _ = $0.snapshot.sections }),
            ("observe", { $0.observe(CallingBackTests.probe) { _ in }.cancel() }),
            ("forget", { config in for user in ["a", "b", "h"] { try? config.forgetUser(user) } }),
        ]
    }

    /// A value that calls back when it is read and when it is released.
    private final class Probe: SettingConvertible {
        static let shared = Locked<Shared?>(nil)

        init() {}

        init?(settingValue: SettingValue) {
            Probe.shared.withLock { $0 }?.callBack(from: .decoding)
        }

        deinit { Probe.shared.withLock { $0 }?.callBack(from: .deinitialization) }
    }

    private static let probe = SettingKey("Home", "title", default: Probe())

    /// A store that calls back, and fails to store for one user.
    private final class CallingStore: ActiveConfigStore {
        private struct Full: Error {}
        let base = InMemoryStore(bootstrap: .state(.titled(["Home": "bootstrap"])))
        let shared: Shared

        init(_ shared: Shared) { self.shared = shared }

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            shared.callBack(from: .store)
            return base.lastKnownActiveConfiguration(forUserID: userID)
        }

        func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
            shared.callBack(from: .store)
            return base.ownConfiguration(forUserID: userID)
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws {
            shared.callBack(from: .store)
            if userID == "b" { throw Full() }
            base.persistConfiguration(configuration, forUserID: userID)
        }

        func record(_ record: StoreRecord) -> Data? {
            if case .pendingConfiguration = record.kind { shared.callBack(from: .store) }
            return base.record(record)
        }

        func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) {
            if case .pendingConfiguration = record.kind { shared.callBack(from: .store) }
            base.updateRecord(record, change)
        }
    }

    private func launch(_ shared: Shared, _ activation: ActivationPolicy) -> CoordinatorFixture {
        let options = ActiveConfigOptions(
            activationPolicy: activation, overridePolicy: .settable,
            log: ActiveConfigLog(minimumLevel: .debug) { _, _ in shared.callBack(from: .log) })
        let queue = DispatchQueue(label: "listeners")
        let center = NotificationCenter()
        let downloader = ScriptedDownloader { request in
            shared.callBack(from: .downloader)
            return request.number.isMultiple(of: 5)
                ? .failure(DownloadError(.timedOut))
                : .configuration(
                    .titled(["Home": "\(request.number)"], entityTag: "\"\(request.number)\""))
        }
        let log = RecordingLog()
        let config = ActiveConfig(
            configDownloader: downloader, configStore: CallingStore(shared),
            notificationCenter: center, listenerQueue: queue, options: options)
        return CoordinatorFixture(
            config: config, downloader: downloader, queue: queue, center: center, log: log)
    }

    @Test(arguments: Place.allCases)
    func everyCallReturns(place: Place) async throws {
        for activation in [ActivationPolicy.immediate, .manual] {
            let shared = Shared(place)
            let fixture = launch(shared, activation)
            let config = fixture.config
            shared.use(config)
            Probe.shared.withLock { $0 = shared }
            defer { shared.use(nil) }
            let token = config.observe(sectionNamed: "Home") { _ in
                shared.callBack(from: .listener)
            }
            let observer = fixture.center.addObserver(
                forName: ActiveConfig.downloadUpdateFinishedNotification, object: nil, queue: nil
            ) { _ in shared.callBack(from: .notification) }
            // Several users at once, so that calls contend with each other.
            await withTaskGroup { group in
                for user in ["a", "b", nil] {
                    group.addTask {
                        for _ in 0..<10 {
                            let handle = config.configuration(forUserID: user)
                            _ = try? await handle.download()
                            _ = handle[Self.probe]
                            await handle.activate()
                            config.currentUserID = user
                            _ = config[Self.probe]
                            _ = try? await config.fetchAndActivate()
                        }
                    }
                }
            }
            fixture.drain()
            #expect(shared.callCount > 0)
            fixture.center.removeObserver(observer)
            token.cancel()
        }
    }
}
