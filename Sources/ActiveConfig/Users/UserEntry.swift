internal import Dispatch

/// One user in memory: the state of the documents, the snapshot for readers, and the listeners.
///
/// ``Front`` alone changes the documents, one change at a time.
final class UserEntry: Sendable {
    private struct State {
        var documents: UserDocuments
        /// Nil until first use.
        var snapshot: SnapshotContents?
        var listeners = ListenerTable()
        /// The last answer of a lower version.
        var lowerAnswer: LowerAnswer?
    }

    let userID: UserID
    private let listenerQueue: DispatchQueue
    private let state: Locked<State>
    private let signals = ChangeSignals()

    /// Counts how often the user was forgotten.
    let forgettings: Locked<Int>

    init(
        _ userID: UserID, policy: ActivationPolicy, listenerQueue: DispatchQueue,
        forgettings: Locked<Int> = Locked(0)
    ) {
        self.forgettings = forgettings
        self.userID = userID
        self.listenerQueue = listenerQueue
        state = Locked(
            State(documents: UserDocuments(policy: policy, epoch: UserEpoch(forgettings))))
    }

    /// Lanes of the calls that read the user's documents on other threads, read them for a
    /// download, and write them: a store that blocks for one user does not take the other users'
    /// threads.
    var reads: BlockingCalls.Lane { BlockingCalls.Lane(of: self, .reads) }
    var downloads: BlockingCalls.Lane { BlockingCalls.Lane(of: self, .downloads) }
    var writes: BlockingCalls.Lane { BlockingCalls.Lane(of: self, .writes) }

    /// Nil: not loaded yet.
    var snapshot: SnapshotContents? { state.withLock { $0.snapshot } }

    var documents: UserDocuments { state.withLock { $0.documents } }

    // Not through a copy of the documents, which could release something under the table's lock.
    var isFollower: Bool { state.withLock { $0.documents.isFollower } }
    var hasUnstored: Bool { state.withLock { $0.documents.hasUnstored } }

    /// Both at the same moment.
    var current: (documents: UserDocuments, snapshot: SnapshotContents?) {
        state.withLock { ($0.documents, $0.snapshot) }
    }

    /// Records an answer of a lower version, and returns true when the last one was another.
    func note(_ answer: LowerAnswer) -> Bool {
        state.withLock { state in
            defer { state.lowerAnswer = answer }
            return state.lowerAnswer != answer
        }
    }

    /// Takes over a state and its snapshot, and queues the changes for the listeners.
    ///
    /// - Parameters:
    ///   - documents: The state.
    ///   - snapshot: The snapshot of its active configuration; nil when nothing is loaded.
    ///   - changes: The changes since the previous snapshot.
    func publish(
        _ documents: UserDocuments, _ snapshot: SnapshotContents?,
        _ changes: [SectionChange]
    ) {
        state.withLock { state in
            (state.documents, state.snapshot) = (documents, snapshot)
            guard let snapshot, !state.listeners.isEmpty else { return }
            let deliveries = changes.map { ($0, state.listeners[$0.sectionName]) }
                .filter { !$0.1.isEmpty }
            guard !deliveries.isEmpty else { return }
            // Under the lock, so that deliveries are in the order of the changes.
            listenerQueue.async {
                for (change, registrations) in deliveries {
                    for registration in registrations {
                        registration.deliver(change.new, of: snapshot)
                    }
                }
            }
        }
    }

    /// Wakes running iterations; must not be called under a lock.
    func signal() { signals.yield() }

    /// Adds a listener, and queues the active section for it.
    ///
    /// - Returns: The active configuration.
    @discardableResult
    func register(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool = true
    ) -> SnapshotContents? {
        state.withLock { state in
            _ = state.listeners.add(registration)
            if queuesCurrentSection {
                registration.deliverFirst(of: state.snapshot) { section, contents in
                    listenerQueue.async { registration.deliver(section, of: contents) }
                }
            }
            return state.snapshot
        }
    }

    func remove(_ registration: ListenerRegistration) {
        state.withLock { $0.listeners.remove(registration) }
    }

    /// Yields whenever a section may have changed; unread elements coalesce into one.
    func makeSignals() -> AsyncStream<Void> { signals.makeStream() }
}

/// An answer of a lower version than the user's.
struct LowerAnswer: Sendable, Hashable {
    let version: Int
    let known: Int
}
