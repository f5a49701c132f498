public import ActiveConfig
internal import Dispatch
import Foundation

/// Rolls back a configuration that crashes the app at launch.
///
/// ```swift
/// let crashGuard = CrashGuard()
/// var options = ActiveConfigOptions()
/// options.vetting = [crashGuard]
/// ```
///
/// When the app has crashed a number of times, each time within a window after a document became
/// active, that document is not used again. The user gets the last document that outlived the
/// window instead, else the fallbacks: generic user, bootstrap, defaults. See *Launch safety*.
///
/// One guard serves one `ActiveConfig`, whose store has to keep records (`StoreRecord`).
public final class CrashGuard: Sendable {
    /// The number of crashes after which a document is refused.
    public let crashLimit: Int
    /// How long the app has to run with a document for it to prove good.
    public let window: Duration

    struct State {
        var context: Context?
        /// True once the sessions of dead processes were counted.
        var isJudged = false
        /// The active document, and whether it has proved good.
        var document: LaunchRecord.Document?
        /// False while only some of its sections are active: the rest has to prove good, too.
        var isWhole = true
        var isProved = false
        /// The last document that has proved good in this launch, with all its sections.
        var proved: LaunchRecord.Document?
        /// The highest number of a document that has become active.
        var lastNumber = 0
        var isInBackground = false
        /// Waits for the end of the window.
        var timer: Task<Void, Never>?
        /// Documents refused since this launch.
        var newRefusals: [LaunchRecord.Document: LaunchRecord.Count] = [:]
        /// The reported decisions of this launch, the newest last.
        var verdicts: [CrashGuardVerdict] = []
        var observers: [AppLifecycle.Observer] = []
    }

    struct Context {
        weak let config: ActiveConfig?
        let record: StoredState<LaunchRecord>
        let store: any ActiveConfigStore
        let clock: any Clock<Duration>
        let log: ActiveConfigLog
        /// Buffers messages until ``work`` is left.
        let collected: ActiveConfigLog
    }

    let process: ProcessIdentity
    let state = Locked(State())
    /// Serializes writes.
    private let work = DispatchQueue(label: "ActiveConfig.CrashGuard")
    /// Proofs queued for ``work``.
    let proofs = DispatchGroup()
    /// Messages from ``work``, where the log must not be called, as it may use the framework.
    private let messages = Locked<[(level: ActiveConfigLog.Level, text: String)]>([])
    /// Writes messages for which no caller waits.
    private let logging = DispatchQueue(label: "ActiveConfig.CrashGuard.log")

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - crashLimit: The number of consecutive crashes after which a document is refused; at
    ///     least 1.
    ///   - window: How long the app has to run with a document for it to prove good.
    public convenience init(crashLimit: Int = 3, window: Duration = .seconds(10)) {
        self.init(crashLimit: crashLimit, window: window, process: .current)
    }

    /// Creates the guard of a process, which a test can end.
    init(crashLimit: Int, window: Duration, process: ProcessIdentity) {
        self.crashLimit = max(crashLimit, 1)
        // Clocks overflow at very long times; 30 years are long enough.
        self.window = min(max(window, .zero), .seconds(1_000_000_000))
        self.process = process
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    /// Marks the active configuration as good, for example once the first screen is shown.
    ///
    /// It is then good before the window is over. Returns at once.
    public func markHealthy() {
        guard let document = state.withLock({ $0.document }) else { return }
        proveLater(document)
    }

    /// Reports that the app went to the background, where the system can end it at any time.
    ///
    /// Called automatically on iOS, tvOS, visionOS, watchOS and Mac Catalyst. An app launched in
    /// the background has to call it first. It writes to the store.
    public func didEnterBackground() {
        serialized {
            let timer = state.withLock { state in
                state.isInBackground = true
                defer { state.timer = nil }
                return state.timer
            }
            timer?.cancel()
            endSession()
        }
    }

    /// Reports that the app is in the foreground again.
    ///
    /// Called automatically where ``didEnterBackground()`` is.
    public func willEnterForeground() {
        serializedLater {
            let document = self.state.withLock { state in
                state.isInBackground = false
                return state.isProved ? nil : state.document
            }
            if let document { self.beginSession(document) }
        }
    }

    /// Reports that the program is about to end on purpose, for example at SIGTERM.
    ///
    /// Called automatically when the program ends by returning from `main` or by `exit` (with
    /// status 0 on Linux with glibc, with any status elsewhere), and by the app's notifications
    /// where available. It writes to the store.
    public func willTerminate() {
        // Pending proofs are stored first, unless the store takes long.
        _ = proofs.wait(timeout: .now() + 1)
        serialized { self.endSession() }
    }

    /// Returns once all requested writes and log messages are done.
    func drain() {
        proofs.wait()
        work.sync {}
        logging.sync {}
    }

    /// Returns once the window of the active document is over, and its effects have started.
    func waitForWindow() async { await state.withLock { $0.timer }?.value }

    /// True once the active document has proved good.
    var isProved: Bool { state.withLock { $0.isProved } }
}

extension CrashGuard: ConfigurationVetting {
    /// Connects it with the configuration that it guards, whose store it uses.
    public func attach(to config: ActiveConfig) {
        let (clock, log) = (config.clock, config.log)
        guard let store = config.configStore else {
            return log(.warning, "The crash guard does nothing: there is no store.")
        }
        let collected = ActiveConfigLog(minimumLevel: log.minimumLevel) { [messages] level, text in
            messages.withLock { $0.append((level, text)) }
        }
        let context = Context(
            config: config,
            record: StoredState(
                "crash-guard", initial: LaunchRecord(), store: store, log: collected),
            store: store, clock: clock, log: log, collected: collected)
        let isSecond = state.withLock { state in
            defer { state.context = state.context ?? context }
            return state.context != nil
        }
        if isSecond { return log(.error, "A crash guard serves one ActiveConfig only.") }
        AppLifecycle.observe(
            background: { [weak self] in self?.didEnterBackground() },
            foreground: { [weak self] in self?.willEnterForeground() },
            end: { [weak self] in self?.willTerminate() },
            keep: { [weak self] observers in
                self?.state.withLock { $0.observers = observers }
            })
    }

    /// The record, after counting the sessions of dead processes.
    func judgedRecord() -> LaunchRecord? {
        guard let context = state.withLock({ $0.context }) else { return nil }
        if state.withLock({ $0.isJudged }) { return context.record.value }
        return serialized {
            if state.withLock({ $0.isJudged }) { return context.record.value }
            // A launch after a good one has nothing to count, and writes nothing here.
            if !context.record.value.sessions.isEmpty {
                let new = context.record.update { record in
                    record.judge(crashLimit: crashLimit) { $0.end(asSeenBy: process) }
                }
                let refusals = Dictionary(
                    new.map { ($0.document, $0) }, uniquingKeysWith: { $1 })
                state.withLock { $0.newRefusals = refusals }
            }
            state.withLock { $0.isJudged = true }
            return context.record.value
        }
    }

    /// Removes the user's copy and documents.
    public func forget(userID: String?) throws {
        let userID = UserID(userID)
        guard let context = state.withLock({ $0.context }) else { return }
        try serialized {
            // Otherwise it could prove good, and be copied again, before it is removed from the
            // store.
            let timer = state.withLock { state -> Task<Void, Never>? in
                state.newRefusals = state.newRefusals.filter { UserID($0.key.userID) != userID }
                state.verdicts.removeAll { UserID($0.userID) == userID }
                if let proved = state.proved, UserID(proved.userID) == userID {
                    state.proved = nil
                }
                guard let document = state.document, UserID(document.userID) == userID else {
                    return nil
                }
                (state.document, state.isProved) = (nil, false)
                defer { state.timer = nil }
                return state.timer
            }
            timer?.cancel()
            let name = Self.copyName(of: userID)
            if try context.store.clientState(named: name) != nil {
                try context.store.updateClientState(named: name) { _ in nil }
            }
            let isNoted = context.record.value.names(userID, in: process)
            if isNoted { update(context.record) { $0.forget(userID, in: process) } }
        }
    }

    /// Runs `body` on ``work``, and logs afterwards.
    func serialized<Result>(_ body: () throws -> Result) rethrows -> Result {
        defer { writeMessages() }
        return try work.sync(execute: body)
    }

    /// As `serialized(_:)`, but returns at once.
    func serializedLater(_ body: @escaping @Sendable () -> Void) {
        work.async { [self] in
            body()
            if messages.withLock({ $0.isEmpty }) { return }
            logging.async { self.writeMessages() }
        }
    }

    func writeMessages() {
        let messages = messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
        guard !messages.isEmpty, let log = state.withLock({ $0.context?.log }) else { return }
        for message in messages { log(message.level, message.text) }
    }
}
