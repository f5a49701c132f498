/// The documents of one user: the user's own, the one that waits for its activation, the fallback,
/// and which of them is active.
///
/// A pure value. Events go in; ``active`` and ``revision`` say what came of them. It takes no lock,
/// reads no clock and calls no store; the driver does (`ActiveConfig+Transitions.swift`). Each event
/// that changes something advances ``revision``: whoever has read something at another one is stale.
///
/// | event | of | effect |
/// | --- | --- | --- |
/// | ``Event/loaded(_:)`` | the store, first use | own document, else fallback; what waits for a launch becomes active |
/// | ``Event/reloaded(_:)`` | the store, later | what another process has stored since, unless it is older |
/// | ``Event/loadedAnew(_:)`` | the store, later | what the store has now, even if that is less |
/// | ``Event/received(_:)`` | a download, a push | active as far as the policy has it, the rest waits |
/// | ``Event/activated(_:)`` | `activate()` | what waits becomes the own document |
/// | ``Event/forgotten(fallback:)`` | `forgetUser(_:)` | the fallback becomes active |
/// | ``Event/fallbackChanged(_:)`` | the generic user | active for those without an own document |
///
/// ``Event/received(_:)`` compares no versions. Its senders have dropped what is older, within the user's turn: a
/// push by its decision (`ActiveConfig+Pushing.swift`), a download by `isOutdated`
/// (`ActiveConfig+DownloadEnds.swift`), both by `keep` for what another process has stored.
struct UserConfigurationState: Sendable {
    /// The documents that a store has of a user.
    struct Stored: Sendable {
        /// The user's own document.
        var own: KnownConfiguration?
        /// The document that waits for its activation.
        var waiting: ConfigurationState?
        /// The configuration of a user without an own document.
        var fallback: KnownConfiguration = .none
    }

    enum Event: Sendable {
        case loaded(Stored)
        case reloaded(Stored)
        case loadedAnew(Stored)
        case received(ConfigurationState)
        case activated(ConfigurationState)
        case forgotten(fallback: KnownConfiguration)
        case fallbackChanged(KnownConfiguration)
    }

    private let policy: ActivationPolicy

    /// Number of the last change; a load that began at another one is stale.
    private(set) var revision = 0

    /// The time since the user was forgotten.
    private(set) var epoch: UserEpoch

    /// The active configuration, with the document that waits; nil before the first load.
    private(set) var active: KnownConfiguration?

    /// The own document that the store has, where it is not the active one; the outer nil: it is.
    ///
    /// So it is when a launch has activated another one, or some sections of the one that waits.
    private var beneath: ConfigurationState??

    /// True from the activation by a launch until the store has the document as the user's own.
    private(set) var isLaunchUnstored = false

    /// An own document that the store could not keep.
    var unstoredOwn: ConfigurationState? { didSet { noteReplaced() } }

    /// A document that waits and that the store could not keep.
    var unstoredWaiting: ConfigurationState? { didSet { noteReplaced() } }

    /// Versions of this launch that a document replaced that the store could not keep: what the store still
    /// has of them came before it, also where its version is higher, since a server may go back.
    private var replacedVersions: Set<Int> = []

    init(policy: ActivationPolicy, epoch: UserEpoch = UserEpoch()) {
        (self.policy, self.epoch) = (policy, epoch)
    }

    /// The user's newest document, about which a request asks; nil when there is none.
    var newest: ConfigurationState? {
        active.flatMap { $0.pending?.configuration ?? ($0.isOwn ? $0.configuration : nil) }
    }

    /// The document that the store has, or should have, as the user's own.
    private var own: ConfigurationState? {
        beneath ?? active.flatMap { $0.isOwn ? $0.configuration : nil }
    }

    /// True for a user who reads a fallback, such as the generic user's document.
    var isFallback: Bool { active?.isOwn == false }

    /// True when this launch knows something of the user that the store does not.
    var isUnstored: Bool {
        unstoredOwn != nil || unstoredWaiting != nil || isLaunchUnstored
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
        case .forgotten(let fallback): forget(fallback)
        case .fallbackChanged(let fallback): replaceFallback(by: fallback)
        }
    }

    /// False for a document that is left in the store from before the active one.
    ///
    /// What waits in memory may be of a lower version, since a server may go back.
    func mayActivate(_ waiting: ConfigurationState) -> Bool {
        guard let active, active.isOwn else { return true }
        return active.pending.map { waiting.isSame(as: $0.configuration) } == true
            || !active.configuration.isLater(than: waiting)
    }

    /// True for a stored document of a version later than a document's, unless this launch had it: a server
    /// may go back.
    ///
    /// So a document that could not be stored stays until the store takes it, or has a later version that this
    /// launch did not have, which another process has stored since.
    func isSuperseded(_ document: ConfigurationState, by storedVersion: Int?) -> Bool {
        guard let version = document.templateVersion, let storedVersion, storedVersion > version
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

    /// Takes over what another process has stored since, unless it is older than what is active.
    private mutating func reload(_ stored: Stored) {
        guard let active else { return load(stored) }
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
        // One that is older than what is active, or than what waits here, is left from before.
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
            // A removal changes nothing.
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

    /// Takes over what the store has, unless this launch knows something that it does not.
    private mutating func loadAnew(_ stored: Stored) {
        let known = stored.own ?? stored.fallback
        guard let active, !isUnstored, active.pending == nil, stored.waiting == nil else {
            return reload(stored)
        }
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

    private mutating func forget(_ fallback: KnownConfiguration) {
        (unstoredOwn, unstoredWaiting, isLaunchUnstored) = (nil, nil, false)
        epoch = epoch.next
        // Even if nothing is loaded: a load that is running has read what is gone by now.
        if active == nil { revision += 1 } else { become(fallback) }
    }

    private mutating func replaceFallback(by fallback: KnownConfiguration) {
        guard let active, isFallback else { return }
        guard let pending = active.pending else { return become(fallback) }
        become(
            fallback.bringing(pending, policy, at: pending.moments, isStored: true),
            beneath: beneath)
    }

    private mutating func become(
        _ known: KnownConfiguration, beneath: ConfigurationState?? = nil
    ) {
        revision += 1
        (active, self.beneath) = (known, beneath)
    }

    /// Records that the store has the document that a launch activated, or that it must not have it since
    /// another process has stored something else.
    mutating func endLaunch(isStored: Bool) {
        isLaunchUnstored = false
        if isStored { beneath = nil }
    }

    /// Replaces the active configuration by one with equal documents, such as with shared sections.
    mutating func share(_ known: KnownConfiguration) { active = known }
}
