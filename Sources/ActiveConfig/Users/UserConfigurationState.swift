/// The documents of one user: own, pending and fallback, and which of them is active.
///
/// A pure value. Events go in; ``active`` and ``revision`` are the result. It takes no lock, reads
/// no clock and calls no store; the driver does (`ActiveConfig+Transitions.swift`). Each effective
/// event advances ``revision``: results computed at an earlier revision are stale.
///
/// | event | from | effect |
/// | --- | --- | --- |
/// | ``Event/loaded(_:)`` | the store, first use | own document, else fallback; a document pending
/// for a launch becomes active |
/// | ``Event/reloaded(_:)`` | the store, later | document stored by another process, unless it is
/// older |
/// | ``Event/loadedAnew(_:)`` | the store, later | the store's content, even if that is less |
/// | ``Event/received(_:)`` | a download, a push | active as far as the policy allows, the rest is
/// pending |
/// | ``Event/activated(_:)`` | `activate()` | the pending document becomes the own document |
/// | ``Event/forgotten(_:)`` | `forgetUser(_:)` | the fallback becomes active |
/// | ``Event/fallbackChanged(_:)`` | the generic user | active for users without an own document |
///
/// ``Event/received(_:)`` compares no versions. Its senders have dropped older documents within the
/// user's turn: a push by its decision (`ActiveConfig+Pushing.swift`), a download by `isOutdated`
/// (`ActiveConfig+DownloadEnds.swift`), both by `keep` for documents stored by another process.
struct UserConfigurationState: Sendable {
    /// A user's documents in a store.
    struct Stored: Sendable {
        /// The user's own document.
        let own: KnownConfiguration?
        /// The document that waits for activation.
        let waiting: ConfigurationState?
        /// The configuration of a user without an own document.
        var fallback: KnownConfiguration
        /// True when that is the generic user's, which is taken from memory; false for the bootstrap
        /// and for a store's choice of its own.
        let followsGeneric: Bool
        /// The revisions of the user and of the generic user before the reading.
        let revision: Int, genericRevision: Int
    }

    enum Event: Sendable {
        case loaded(Stored)
        case reloaded(Stored)
        case loadedAnew(Stored)
        case received(ConfigurationState)
        case activated(ConfigurationState)
        case forgotten(Stored)
        case fallbackChanged(KnownConfiguration)

        /// What was read from the store for it.
        var stored: Stored? {
            switch self {
            case .loaded(let stored), .reloaded(let stored), .loadedAnew(let stored),
                .forgotten(let stored):
                stored
            case .received, .activated, .fallbackChanged: nil
            }
        }

        func with(_ stored: Stored) -> Event {
            switch self {
            case .loaded: .loaded(stored)
            case .reloaded: .reloaded(stored)
            case .loadedAnew: .loadedAnew(stored)
            case .forgotten: .forgotten(stored)
            case .received, .activated, .fallbackChanged: self
            }
        }
    }

    private let policy: ActivationPolicy

    /// Number of the last change; a load that started at another number is stale.
    private(set) var revision = 0

    /// The time since the user was last forgotten.
    private(set) var epoch: UserEpoch

    /// The active configuration, with the pending document; nil before the first load.
    private(set) var active: KnownConfiguration?

    /// The store's own document if it is not the active one; the outer nil: it is.
    ///
    /// This happens when a launch activated another document, or some sections of the pending one.
    private var beneath: ConfigurationState??

    /// True from the activation at a launch until the document is stored as the user's own.
    private(set) var isLaunchUnstored = false

    /// An own document that could not be stored.
    var unstoredOwn: ConfigurationState? { didSet { noteReplaced() } }

    /// A pending document that could not be stored.
    var unstoredWaiting: ConfigurationState? { didSet { noteReplaced() } }

    /// Versions of this launch that were replaced by a document that could not be stored: the
    /// store's copies of them are older even if their version is higher, since a server may roll
    /// back.
    private var replacedVersions: Set<Int> = []

    init(policy: ActivationPolicy, epoch: UserEpoch = UserEpoch()) {
        (self.policy, self.epoch) = (policy, epoch)
    }

    /// The user's newest document, to which a conditional request refers; nil when there is none.
    var newest: ConfigurationState? {
        active.flatMap { $0.pending?.configuration ?? ($0.isOwn ? $0.configuration : nil) }
    }

    /// The document that is, or should be, stored as the user's own.
    private var own: ConfigurationState? {
        beneath ?? active.flatMap { $0.isOwn ? $0.configuration : nil }
    }

    /// True for a user who reads a fallback, such as the generic user's document.
    var isFallback: Bool { active?.isOwn == false }

    /// True when the generic user's configuration is the fallback.
    private var followsGeneric = true

    /// True for a user who reads the generic user's document.
    var isFollower: Bool { isFallback && followsGeneric }

    /// True when this launch has state of the user that is not stored.
    var isUnstored: Bool {
        unstoredOwn != nil || unstoredWaiting != nil || isLaunchUnstored
    }

    /// True when the user has changed since the event's content was read, or the generic user, on
    /// whom a store's choice may depend.
    func isStale(_ event: Event, genericRevision: Int) -> Bool {
        guard let stored = event.stored else { return false }
        let isChosen = stored.own == nil && !stored.followsGeneric
        return stored.revision != revision
            || isChosen && stored.genericRevision != genericRevision
    }

    /// The state after an event.
    func after(_ event: Event) -> UserConfigurationState {
        var state = self
        state.handle(event)
        return state
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .loaded(let stored): load(stored)
        case .reloaded(let stored): reload(stored)
        case .loadedAnew(let stored): loadAnew(stored)
        case .received(let document): receive(document)
        case .activated(let document): activate(document)
        case .forgotten(let stored): forget(stored)
        case .fallbackChanged(let fallback): replaceFallback(by: fallback)
        }
    }

    /// False for a stored pending document that is older than the active one.
    ///
    /// A pending document in memory can have a lower version, since a server may roll back.
    func mayActivate(_ waiting: ConfigurationState) -> Bool {
        guard let active, active.isOwn else { return true }
        return active.pending.map { waiting.isSame(as: $0.configuration) } == true
            || !active.configuration.isLater(than: waiting)
    }

    /// True for a stored document of a later version, unless this launch had that version: a server
    /// may roll back.
    ///
    /// So a document that could not be stored stays until the store takes it, or until another
    /// process stores a later version that this launch did not have.
    func isSuperseded(_ document: ConfigurationState, by storedVersion: Int?) -> Bool {
        guard let version = document.templateVersion, let storedVersion, storedVersion > version,
            !document.replaces(storedVersion)
        else { return false }
        return !replacedVersions.contains(storedVersion) && !versions.contains(storedVersion)
    }

    /// The versions of the user's documents in this launch, or of the fallback.
    private var versions: [Int] {
        [own, active?.configuration, active?.pending?.configuration].compactMap {
            $0?.templateVersion
        }
    }

    private mutating func noteReplaced() {
        if unstoredOwn == nil, unstoredWaiting == nil {
            replacedVersions = []
        } else {
            replacedVersions.formUnion(versions)
        }
    }

    private mutating func load(_ stored: Stored) {
        guard active == nil else { return }
        let base = stored.own ?? stored.fallback
        followsGeneric = stored.followsGeneric
        guard let waiting = stored.waiting, !base.isLater(than: waiting) else {
            return become(base)
        }
        let known = base.bringing(
            stored: waiting.keptInMemory, policy, at: [.immediate, .nextLaunch])
        let isActivated = known.pending == nil && stored.own?.configuration != waiting
        become(
            known,
            beneath: isActivated || known.pending?.isPartlyActive == true
                ? .some(stored.own?.configuration) : nil)
        isLaunchUnstored = isActivated
    }

    /// Takes over what another process stored, unless it is older than the active document.
    private mutating func reload(_ stored: Stored) {
        guard let active else { return load(stored) }
        if stored.own == nil { followsGeneric = stored.followsGeneric }
        let isNewOwn =
            stored.own.map { $0.configuration != own && !$0.isOlder(than: active) } ?? false
        let base =
            if isNewOwn, let own = stored.own {
                own
            } else if isFallback {
                stored.own ?? stored.fallback
            } else {
                active.withoutPending
            }
        let known: KnownConfiguration
        // A stored pending document older than the active or pending one here is a leftover.
        let waiting = stored.waiting.flatMap { waiting in
            base.isLater(than: waiting)
                || !isNewOwn && active.pending?.configuration.isLater(than: waiting) == true
                ? nil : waiting
        }
        if let waiting {
            known = base.bringing(stored: waiting.keptInMemory, policy, at: [.immediate])
        } else if isNewOwn || active.pending == nil {
            known = base
        } else {
            // A removal has no effect.
            return
        }
        guard !known.hasSameDocuments(as: active) || known.isOwn != active.isOwn else { return }
        let isPartlyActive = known.pending?.isPartlyActive == true
        let stays: ConfigurationState?? = isNewOwn ? nil : beneath
        become(
            known,
            beneath: isPartlyActive ? .some(isNewOwn ? stored.own?.configuration : own) : stays)
        if isNewOwn { (isLaunchUnstored, unstoredOwn) = (false, nil) }
        if let kept = unstoredWaiting, known.isLater(than: kept) { unstoredWaiting = nil }
    }

    /// Takes over the store's content, unless this launch has unstored state.
    private mutating func loadAnew(_ stored: Stored) {
        let known = stored.own ?? stored.fallback
        guard let active, !isUnstored, active.pending == nil, stored.waiting == nil else {
            return reload(stored)
        }
        followsGeneric = stored.followsGeneric
        if !known.hasSameDocuments(as: active) { become(known) }
    }

    private mutating func receive(_ document: ConfigurationState) {
        let own = own
        let known =
            policy.isImmediate
            ? .downloaded(document) : (active ?? .none).bringing(downloaded: document, policy)
        let keepsBeneath = known.pending != nil
        let isPartlyActive = known.pending?.isPartlyActive == true
        become(known, beneath: keepsBeneath ? (isPartlyActive ? .some(own) : beneath) : nil)
        if !keepsBeneath { isLaunchUnstored = false }
    }

    private mutating func activate(_ document: ConfigurationState) {
        become(
            KnownConfiguration(
                document, source: active?.pending?.source ?? .stored, isOwn: true))
        isLaunchUnstored = false
    }

    private mutating func forget(_ stored: Stored) {
        (unstoredOwn, unstoredWaiting, isLaunchUnstored) = (nil, nil, false)
        epoch = epoch.next
        // Even if nothing is loaded: a running load has read what is removed by now.
        if active == nil { revision += 1 } else { become(stored.fallback) }
        followsGeneric = stored.followsGeneric
    }

    private mutating func replaceFallback(by fallback: KnownConfiguration) {
        guard let active, isFollower else { return }
        guard let pending = active.pending else { return become(fallback) }
        become(
            fallback.bringing(pending, policy, at: pending.moments, isStored: true),
            beneath: beneath)
    }

    private mutating func become(
        _ known: KnownConfiguration, beneath: ConfigurationState?? = nil
    ) {
        revision += 1
        (active, self.beneath) = (known.withoutReplacedVersion, beneath)
    }

    /// Records that the document activated at launch is stored, or must not be stored because
    /// another process has stored something else.
    mutating func endLaunch(isStored: Bool) {
        isLaunchUnstored = false
        if isStored { beneath = nil }
    }

    /// Replaces the active configuration by one with equal documents, such as one with shared
    /// sections.
    mutating func share(_ known: KnownConfiguration) { active = known }
}
