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
/// window instead, else the fallbacks: generic user, bootstrap, defaults. See
/// <doc:Rolling-back-after-crashes>.
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
        /// The document of which a copy is being kept, unless its user was forgotten.
        var proving: LaunchRecord.Document?
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
        let store: MarkedStore
        let clock: any Clock<Duration>
        let log: ActiveConfigLog
    }

    let process: ProcessIdentity
    /// Decisions are made under the lock, and change the record in memory there; it is written
    /// afterwards, as a store may call the framework, which then asks the guard.
    let state = Locked(State())
    /// Proofs, one after the other, and writes for which no caller waits.
    let work = DispatchQueue(label: "ActiveConfig.CrashGuard")
    /// Proofs queued for ``work``.
    let proofs = DispatchGroup()

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
    init(
        crashLimit: Int, window: Duration, process: ProcessIdentity,
        bundle: URL = Bundle.main.bundleURL
    ) {
        self.crashLimit = max(crashLimit, 1)
        // Clocks overflow at very long times; 30 years are long enough.
        self.window = min(max(window, .zero), .seconds(1_000_000_000))
        self.process = process
        state.withLock { $0.isInBackground = AppLifecycle.isExtension(bundle) }
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
        let timer = change { state in
            state.isInBackground = true
            endSession(in: state)
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    /// Reports that the app is in the foreground again.
    ///
    /// Called automatically where ``didEnterBackground()`` is, but not in an app extension, which begins
    /// in the background except on watchOS.
    public func willEnterForeground() {
        let document = state.withLock { state -> LaunchRecord.Document? in
            state.isInBackground = false
            guard !state.isProved, let document = state.document else { return nil }
            beginSession(document, in: state)
            return document
        }
        guard let document else { return }
        work.async {
            self.change { _ in }
            self.startWindow(of: document)
        }
    }

    /// Reports that the program is about to end on purpose, for example at SIGTERM.
    ///
    /// Called automatically when the program ends by returning from `main` or by `exit` (with
    /// status 0 on Linux with glibc, with any status elsewhere), and by the app's notifications
    /// where available. It writes to the store.
    public func willTerminate() {
        // Pending proofs are stored first, unless the store takes long, or is the caller.
        if !ThreadMark.storeCall.isSet { _ = proofs.wait(timeout: .now() + 1) }
        change { endSession(in: $0) }
    }

    #if DEBUG
        /// Returns once all requested writes are done.
        func drain() {
            proofs.wait()
            work.sync {}
        }

        /// Returns once the window of the active document is over, and its effects have started.
        func waitForWindow() async { await state.withLock { $0.timer }?.value }

        /// True once the active document has proved good.
        var isProved: Bool { state.withLock { $0.isProved } }
    #endif
}

extension CrashGuard: ConfigurationVetting {
    /// Connects it with the configuration that it guards, whose store it uses.
    public func attach(to config: ActiveConfig) {
        let (clock, log) = (config.clock, config.log)
        guard let store = config.store else {
            return log(.warning, "The crash guard does nothing: there is no store.")
        }
        let context = Context(
            config: config,
            record: StoredState(
                "crash-guard", initial: LaunchRecord(), store: store, log: log),
            store: store, clock: clock, log: log)
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
    ///
    /// Judged in memory before that is written: a store that calls back during the write must not
    /// bring back a refused document. If the process ends before, the next launch counts the same.
    func judgedRecord() -> LaunchRecord? {
        guard let record = state.withLock({ $0.context?.record }) else { return nil }
        if state.withLock({ $0.isJudged }) { return record.value }
        change { state in
            // A launch after a good one has nothing to count, and writes nothing here.
            if !state.isJudged, !record.value.sessions.isEmpty {
                let new = record.note { [crashLimit, process] record in
                    record.judge(crashLimit: crashLimit) { $0.end(asSeenBy: process) }
                }
                state.newRefusals = Dictionary(
                    new.withLock { $0 }.map { ($0.document, $0) }, uniquingKeysWith: { $1 })
            }
            state.isJudged = true
        }
        return record.value
    }

    /// Removes the user's copy and documents.
    public func forget(userID: String?) throws {
        let userID = UserID(userID)
        guard let context = state.withLock({ $0.context }) else { return }
        // Otherwise it could prove good, and be copied again, before it is removed from the store.
        let (timer, isBeingCopied) = state.withLock { state -> (Task<Void, Never>?, Bool) in
            state.newRefusals = state.newRefusals.filter { UserID($0.key.userID) != userID }
            state.verdicts.removeAll { UserID($0.userID) == userID }
            if let proved = state.proved, UserID(proved.userID) == userID { state.proved = nil }
            let isBeingCopied = state.proving.map { UserID($0.userID) == userID } ?? false
            if isBeingCopied { state.proving = nil }
            guard let document = state.document, UserID(document.userID) == userID else {
                return (nil, isBeingCopied)
            }
            (state.document, state.isProved) = (nil, false)
            defer { state.timer = nil }
            return (state.timer, isBeingCopied)
        }
        timer?.cancel()
        let name = Self.copyName(of: userID)
        if try isBeingCopied || context.store.clientState(named: name) != nil {
            try context.store.updateClientState(named: name) { _ in nil }
        }
        // Read before the lock is taken.
        _ = context.record.value
        state.withLock { state in
            guard context.record.value.names(userID, in: process) else { return }
            note(in: state) { [process] in $0.forget(userID, in: process) }
        }
        // Also what an earlier call could not store.
        if let failure = context.record.write() { throw failure }
    }

    /// Changes the state, and with it the record; returns when the record is stored, within a
    /// store's call at once.
    ///
    /// So does a call that finds its change made by another thread, which is still storing it.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let record = state.withLock { $0.context?.record }
        // Read before the lock is taken.
        _ = record?.value
        let result = state.withLock { body(&$0) }
        record?.write()
        return result
    }

    /// Changes the record in memory, and observes the end of the process while a document is
    /// recorded; called under the lock.
    @discardableResult
    func note<Result: Sendable>(
        in state: State, _ body: @escaping @Sendable (inout LaunchRecord) -> Result
    ) -> Locked<Result>? {
        guard let record = state.context?.record else { return nil }
        let result = record.note(body)
        // In tests another process plays this one's part, and ends when the test says so.
        if process.token == ProcessIdentity.current.token {
            ProcessEnd.observe(self, record.value.isRunning(process))
        }
        return result
    }
}
