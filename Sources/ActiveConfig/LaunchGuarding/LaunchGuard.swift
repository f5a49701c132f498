internal import Dispatch
import Foundation

/// Takes back a configuration with which the app dies at each launch.
///
/// ```swift
/// let launchGuard = LaunchGuard()
/// var options = ActiveConfigOptions()
/// options.launchGuard = launchGuard
/// ```
///
/// When the app has died a number of times, each within a time after a document came in force, that
/// document is not used again. Instead the user gets its last one with which the app has lived for that
/// time, else the fallbacks: generic user, bootstrap, defaults. See <doc:Launch-guard>.
///
/// One guard serves one ``ActiveConfig``, whose store has to be a ``ClientStateStore``.
public final class LaunchGuard: Sendable {
    /// How often the app has to die.
    public let crashLimit: Int
    /// How long the app has to live with a document for it to be good.
    public let window: Duration

    private struct State {
        var context: Context?
        /// True once what was left by dead processes was counted.
        var isJudged = false
        /// The document in force, and whether it has proved good.
        var document: LaunchRecord.Document?
        var isProved = false
        var isInBackground = false
        /// Waits for the end of the window.
        var timer: Task<Void, Never>?
        var verdicts: [LaunchRecord.Document: LaunchRecord.Count] = [:]
        var observers: [AppLifecycle.Observer] = []
    }

    private struct Context {
        let record: StoredState<LaunchRecord>
        let store: any ClientStateStore
        let clock: any Clock<Duration>
        let log: ActiveConfigLog
    }

    private let process: ProcessIdentity
    private let state = Locked(State())
    /// Serializes what is written.
    private let work = DispatchQueue(label: "ActiveConfig.LaunchGuard")

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - crashLimit: How often the app has to die, in a row, for a document not to be used again; at
    ///     least 1.
    ///   - window: How long the app has to live with a document for it to be good.
    public convenience init(crashLimit: Int = 3, window: Duration = .seconds(10)) {
        self.init(crashLimit: crashLimit, window: window, process: .current)
    }

    /// Creates the guard of a process, as a test does of one that is to die.
    init(crashLimit: Int, window: Duration, process: ProcessIdentity) {
        self.crashLimit = max(crashLimit, 1)
        self.window = max(window, .zero)
        self.process = process
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    /// Says that the app works with the configuration in force, as once its first screen is shown.
    ///
    /// It is then good before the time is over. It returns at once.
    public func markHealthy() {
        guard let document = state.withLock({ $0.document }) else { return }
        work.async { self.prove(document) }
    }

    /// Says that the app went to the background, where the system may end it at any time.
    ///
    /// Called by itself where the app's notifications tell: on iOS, tvOS, visionOS and Mac Catalyst. An
    /// app that is launched in the background calls it first. It writes to the store.
    public func enteredBackground() {
        work.sync {
            let timer = state.withLock { state in
                state.isInBackground = true
                defer { state.timer = nil }
                return state.timer
            }
            timer?.cancel()
            endSession()
        }
    }

    /// Says that the app is in the foreground again.
    ///
    /// Called by itself where ``enteredBackground()`` is.
    public func enteredForeground() {
        work.async {
            let document = self.state.withLock { state in
                state.isInBackground = false
                return state.isProved ? nil : state.document
            }
            if let document { self.beginSession(document) }
        }
    }

    /// Says that the program is about to end on purpose, as at SIGTERM.
    ///
    /// Called by itself when the program ends by `exit` with status 0 or by returning from `main`, and
    /// where the app's notifications tell. It writes to the store.
    public func willExit() { work.sync { self.endSession() } }

    /// Returns once everything that was asked for is written.
    func drain() { work.sync {} }

    /// True once the document in force has proved good.
    var isProved: Bool { state.withLock { $0.isProved } }
}

extension LaunchGuard {
    /// Connects it with the store of the one who uses it.
    func attach(store: (any ActiveConfigStore)?, clock: any Clock<Duration>, log: ActiveConfigLog) {
        guard let store = store as? any ClientStateStore else {
            return log(.warning, "The launch guard does nothing: the store keeps no records.")
        }
        let context = Context(
            record: StoredState(
                "launch-guard", initial: LaunchRecord(), store: store, log: log),
            store: store, clock: clock, log: log)
        let isSecond = state.withLock { state in
            defer { state.context = state.context ?? context }
            return state.context != nil
        }
        if isSecond { return log(.error, "A launch guard serves one ActiveConfig only.") }
        ProcessEnd.observe(self)
        let observers = AppLifecycle.observe(
            background: { [weak self] in self?.enteredBackground() },
            foreground: { [weak self] in self?.enteredForeground() },
            end: { [weak self] in self?.willExit() })
        state.withLock { $0.observers = observers }
    }

    /// The refusal of a document, if it is not to be used.
    func refusal(
        of configuration: ConfigurationState, userID: UserID
    ) -> LaunchRecord.Count? {
        guard let record = judgedRecord() else { return nil }
        let found = record.refused.contains { UserID($0.document.userID) == userID }
        return found ? record.refusal(of: LaunchRecord.Document(configuration, of: userID)) : nil
    }

    /// The user's newest document that is not to be used; a request asks for another one.
    func lastRefused(of userID: UserID) -> LaunchRecord.Count? {
        judgedRecord()?.lastRefused(of: userID)
    }

    /// The user's last document with which the app has lived.
    func goodConfiguration(of userID: UserID) -> ConfigurationState? {
        guard let context = state.withLock({ $0.context }) else { return nil }
        do {
            guard let data = try context.store.clientState(named: Self.copyName(of: userID)) else {
                return nil
            }
            return try StoredRecord(data, of: userID).configuration()
        } catch {
            context.log(
                .warning, "The last good configuration of \(userID.logName) is lost: \(error)")
            return nil
        }
    }

    /// Notes the document that comes in force, durably when this returns.
    ///
    /// - Parameters:
    ///   - configuration: The document; nil is a fallback of the app's own.
    ///   - userID: Its owner.
    func willBringInForce(_ configuration: ConfigurationState?, of userID: UserID) {
        guard judgedRecord() != nil else { return }
        let document = configuration.map { LaunchRecord.Document($0, of: userID) }
        work.sync {
            let isNew = state.withLock { state in
                guard state.document != document else { return false }
                (state.document, state.isProved) = (document, false)
                return !state.isInBackground
            }
            guard isNew else { return }
            if let document { beginSession(document) } else { endSession() }
        }
    }

    /// Keeps the digest of a refused signed document, for requests.
    func noteDigest(_ digest: String?, ofRefused document: LaunchRecord.Document) {
        guard let digest, let record = state.withLock({ $0.context?.record }) else { return }
        record.update { record in
            for index in record.refused.indices
            where record.refused[index].document == document
                && record.refused[index].contentDigest == nil
            {
                record.refused[index].contentDigest = digest
            }
        }
    }

    /// What was refused for the first time in this launch.
    func newRefusal(of document: LaunchRecord.Document) -> LaunchRecord.Count? {
        state.withLock { $0.verdicts[document] }
    }

    /// The record, with what dead processes have left counted.
    private func judgedRecord() -> LaunchRecord? {
        guard let context = state.withLock({ $0.context }) else { return nil }
        if state.withLock({ $0.isJudged }) { return context.record.value }
        return work.sync {
            if state.withLock({ $0.isJudged }) { return context.record.value }
            // A launch after a good one has nothing to count, and writes nothing here.
            if !context.record.value.sessions.isEmpty {
                let new = context.record.update { record in
                    record.judge(crashLimit: crashLimit) { $0.end(asSeenBy: process) }
                }
                let refusals = Dictionary(
                    new.map { ($0.document, $0) }, uniquingKeysWith: { $1 })
                state.withLock { $0.verdicts = refusals }
            }
            state.withLock { $0.isJudged = true }
            return context.record.value
        }
    }

    /// Runs on ``work``.
    private func beginSession(_ document: LaunchRecord.Document) {
        guard let context = state.withLock({ $0.context }), !ProcessIdentity.isDebugged else {
            return
        }
        context.record.update { $0.begin(document, in: process) }
        let timer = Task { [weak self, clock = context.clock, window] in
            guard (try? await clock.sleep(for: window)) != nil else { return }
            self?.work.async { self?.prove(document) }
        }
        let old = state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    /// Runs on ``work``.
    private func endSession() {
        guard let context = state.withLock({ $0.context }),
            context.record.value.sessions.contains(where: {
                $0.process.token == process.token
            })
        else { return }
        context.record.update { $0.begin(nil, in: process) }
    }

    /// The app has lived with the document: keeps a copy of it, then says so.
    ///
    /// Runs on ``work``.
    private func prove(_ document: LaunchRecord.Document) {
        let (isProved, context) = state.withLock { state in
            guard state.document == document else { return (true, state.context) }
            defer { state.isProved = true }
            return (state.isProved, state.context)
        }
        guard let context, !isProved else { return }
        let isKept = context.record.value.good.contains(document) || keepCopy(of: document, context)
        // One write for both. If the process dies before it, the copy is made once more.
        let dropped = context.record.update { record in
            record.begin(nil, in: process)
            return record.confirm(document, hasCopy: isKept)
        }
        for old in dropped { drop(old, context) }
    }

    private func keepCopy(of document: LaunchRecord.Document, _ context: Context) -> Bool {
        let userID = UserID(document.userID)
        // Read again, since what is in force lacks the bytes of a signed document.
        guard let stored = context.store.ownConfiguration(forUserID: document.userID),
            LaunchRecord.Document(stored, of: userID) == document
        else { return false }
        do {
            let data = try StoredRecord.encode(stored, of: userID)
            try context.store.updateClientState(named: Self.copyName(of: userID)) { _ in data }
            return true
        } catch {
            context.log(
                .warning, "The good configuration of \(userID.logName) cannot be kept: \(error)")
            return false
        }
    }

    private func drop(_ document: LaunchRecord.Document, _ context: Context) {
        try? context.store.updateClientState(
            named: Self.copyName(of: UserID(document.userID))
        ) { _ in nil }
    }

    /// Forgets the user's copy and documents.
    func forget(_ userID: UserID) throws {
        guard let context = state.withLock({ $0.context }) else { return }
        try work.sync {
            let name = Self.copyName(of: userID)
            if try context.store.clientState(named: name) != nil {
                try context.store.updateClientState(named: name) { _ in nil }
            }
            let isNoted = context.record.value.names(userID)
            if isNoted { context.record.update { $0.forget(userID, in: process) } }
        }
    }

    private static func copyName(of userID: UserID) -> String {
        guard let id = userID.string else { return "good-generic" }
        return "good-\(SHA256.hexDigest(of: id.utf8))"
    }
}

extension LaunchRecord {
    func names(_ userID: UserID) -> Bool {
        (suspects + refused).contains { UserID($0.document.userID) == userID }
            || good.contains { UserID($0.userID) == userID }
    }

    mutating func forget(_ userID: UserID, in process: ProcessIdentity) {
        suspects.removeAll { UserID($0.document.userID) == userID }
        refused.removeAll { UserID($0.document.userID) == userID }
        good.removeAll { UserID($0.userID) == userID }
        sessions.removeAll {
            UserID($0.document.userID) == userID
                && $0.process.token == process.token
        }
    }
}
