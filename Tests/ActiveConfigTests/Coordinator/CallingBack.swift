import ActiveConfigTesting
import Foundation

@testable import ActiveConfig
@testable import ActiveConfigReporting
@testable import ActiveConfigTrust

/// Makes every kind of call to a framework from one kind of place in which the framework calls it.
final class CallingBack: Sendable {
    enum Place: CaseIterable, Sendable {
        case log, downloader, listener, notification, observer, exposure, decoding
        case deinitialization, store, userDefaults

        /// Those that every store has.
        static var allCases: [Place] {
            [
                .log, .downloader, .listener, .notification, .observer, .exposure, .decoding,
                .deinitialization, .store,
            ]
        }
    }

    struct App {
        let config: ActiveConfig
        let crashGuard: CrashGuard
        let signals: ClientSignals
        let acknowledger: ConfigurationAcknowledger
        let exposures: ExposureRecorder
    }

    struct Observer: ConfigurationObserving {
        let shared: CallingBack

        func observe(_ event: ConfigurationEvent) { shared.callBack(from: .observer) }
    }

    private struct State {
        var app: App?
        /// Calls by site: each call causes others, so their number is bounded.
        var counts: [String: Int] = [:]
        /// Threads that are calling back.
        var threads: Set<ObjectIdentifier> = []
    }

    private static let maximumCount = 5

    private let state = Locked(State())
    private let place: Place

    init(_ place: Place) { self.place = place }

    func use(_ app: App?) { state.withLock { $0.app = app } }

    /// Where calls back have returned.
    var sites: Set<String> { state.withLock { Set($0.counts.keys) } }

    /// Makes all calls, unless this is a nested call.
    func callBack(from place: Place, _ site: String = "") {
        guard place == self.place else { return }
        let thread = ObjectIdentifier(Thread.current)
        let app: App? = state.withLock { state in
            guard let app = state.app, state.counts[site, default: 0] < Self.maximumCount,
                state.threads.insert(thread).inserted
            else { return nil }
            return app
        }
        guard let app else { return }
        for call in Self.calls { call(app) }
        state.withLock { state in
            state.threads.remove(thread)
            state.counts[site, default: 0] += 1
        }
    }

    private static let calls: [@Sendable (App) -> Void] = [
        { _ = $0.config["Home"]?.title },
        { _ = $0.config[SettingKey("Home", "title", default: "")] },
        { _ = $0.config.currentConfiguration },
        { _ = $0.config.pendingChanges },
        { _ = $0.config.diagnostics.explain(SettingPath("Home", "title")) },
        { _ = $0.config.diagnostics.report().description },
        { _ = $0.config.status },
        { _ = $0.config.firstConfigDownloadFinished },
        { _ = $0.config.configuration(forUserID: "h")["Home"] },
        { _ = $0.config.configuration(forUserID: "h").status },
        { $0.config.observe(sectionNamed: "Home") { _ in }.cancel() },
        { $0.config.setDefaults(["Other": ["n": 1]]) },
        { $0.config.overrides.set("x", for: SettingPath("Over", "title")) },
        { $0.config.markStale() },
        { $0.config.startDownload() },
        { app in
            let user = app.config.currentUserID
            app.config.currentUserID = user == "a" ? "b" : "a"
            app.config.currentUserID = user
        },
        { _ = $0.config.activate() },
        { _ = $0.config.configuration(forUserID: "h").activate() },
        { _ = $0.config.reload() },
        { _ = $0.config.snapshot.sections },
        { try? $0.signals.setCustomSignals(["a": .string("b")]) },
        { _ = $0.signals.values },
        { $0.signals.removeAllCustomSignals() },
        { _ = $0.crashGuard.verdict },
        { $0.crashGuard.markHealthy() },
        { $0.crashGuard.didEnterBackground() },
        { $0.crashGuard.willEnterForeground() },
        { app in for user in ["a", "b", "h"] { try? app.config.forgetUser(user) } },
        { try? $0.config.forgetGenericUser() },
        { $0.config.addObserver(Observer(shared: CallingBack(.store))).cancel() },
    ]
}

/// A store that calls back from each method, before and after its work, and fails to store for one
/// user.
final class CallingStore: ActiveConfigStore {
    private struct Full: Error {}
    private let base: InMemoryStore
    private let called: @Sendable (String) -> Void
    let fallback: StoreFallback

    init(
        base: InMemoryStore, isOpaque: Bool = false, _ called: @escaping @Sendable (String) -> Void
    ) {
        (self.base, self.called) = (base, called)
        fallback = isOpaque ? .opaque : base.fallback
    }

    convenience init(_ shared: CallingBack, isOpaque: Bool = false) {
        self.init(
            base: InMemoryStore(bootstrap: .state(.titled(["Home": "bootstrap"]))),
            isOpaque: isOpaque
        ) { shared.callBack(from: .store, $0) }
    }

    private func call<Result>(_ site: String, _ body: () throws -> Result) rethrows -> Result {
        called(site)
        defer { called(site) }
        return try body()
    }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        call("last known") { base.lastKnownActiveConfiguration(forUserID: userID) }
    }

    func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        call("own") { base.ownConfiguration(forUserID: userID) }
    }

    func ownEntityTag(forUserID userID: String?) -> String? {
        call("tag") { base.ownEntityTag(forUserID: userID) }
    }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        try call("persist") {
            if userID == "b" { throw Full() }
            base.persistConfiguration(configuration, forUserID: userID)
        }
    }

    func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) throws -> Bool {
        try call("persist unless") {
            if userID == "b" { throw Full() }
            return base.persistConfiguration(
                configuration, forUserID: userID, unlessStored: isLater)
        }
    }

    var firstDownloadFinished: Bool { call("is first") { base.firstDownloadFinished } }

    func recordFirstDownloadFinished() -> Bool {
        call("first") { base.recordFirstDownloadFinished() }
    }

    func record(_ record: StoreRecord) -> Data? {
        call("read \(record.site)") { base.record(record) }
    }

    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) {
        call("update \(record.site)") { base.updateRecord(record, change) }
    }
}

extension StoreRecord {
    /// The kind of record.
    fileprivate var site: String {
        switch kind {
        case .pendingConfiguration: "pending"
        case .clientState(let name): name.hasPrefix("good-") ? "good" : name
        }
    }
}
