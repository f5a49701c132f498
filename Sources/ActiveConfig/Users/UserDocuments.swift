/// The documents of one user: own, pending and fallback, and which of them is active.
///
/// A pure value: it takes no lock, reads no clock and calls no store. One rule carries it: what has
/// to be stored changes nothing. ``decision(on:)`` says what to save for a ``Proposal``; the outcome
/// of the save is an ``Event``, and only events change the documents. Everything that decides
/// whether a document counts stands here: outdated answers, the policy by section, documents of
/// another process, versions that were rolled back.
///
/// | event | effect |
/// | --- | --- |
/// | ``Event/loaded(_:)`` | own document, else fallback; activates one pending for a launch |
/// | ``Event/reloaded(_:evenIfLess:)`` | documents stored by another process, unless they are older |
/// | ``Event/saved(_:unstored:)`` | an arrived or activated document takes its slot |
/// | ``Event/forgotten(_:)`` | the fallback becomes active |
/// | ``Event/fallbackChanged`` | the generic user's new document, for users who follow it |
/// | ``Event/confirmed`` | the newest document counts as downloaded in this launch |
/// | ``Event/unstored(own:pending:)`` | what the store could not take; not visible |
/// | ``Event/launchSuperseded`` | the launch's document will not be stored; not visible |
///
/// Each event that readers can see advances ``revision``: what was read at an earlier revision is
/// stale. What was decided before another process's document was taken over, which needs no turn, is
/// to be decided again: see ``takeovers``.
struct UserDocuments: Sendable {
    /// What the store has of a user.
    struct Stored: Sendable {
        let own: KnownConfiguration?
        /// The document that waits for activation.
        let pending: ConfigurationState?
        /// Used while there is no own document.
        let fallback: Fallback
        /// The revisions of the user and of the generic user before the reading.
        let revision: Int, genericRevision: Int

        /// True for a store that has no fallback for the user.
        var choosesNothing: Bool {
            guard case .chosen(let choice) = fallback else { return false }
            return choice === KnownConfiguration.none
        }
    }

    /// What a user without an own document reads.
    enum Fallback: Sendable {
        /// The generic user's active configuration in memory, whatever the store has of it.
        case generic
        /// The bootstrap, or the choice of a store with an order of its own.
        case chosen(KnownConfiguration)
    }

    /// The generic user, to whom others fall back.
    struct Generic: Sendable {
        /// That user's active configuration as a fallback; one object for all who follow.
        var fallback = KnownConfiguration.none
        var revision = 0
    }

    indirect enum Event: Sendable {
        case loaded(Stored)
        /// `evenIfLess`: the store's content counts even if it is less, unless something is unstored.
        case reloaded(Stored, evenIfLess: Bool = false)
        /// `unstored`: the document that the store could not take.
        case saved(Save, unstored: ConfigurationState?)
        case forgotten(Stored)
        case fallbackChanged
        /// The server has confirmed the newest document.
        case confirmed
        /// What is not stored after another attempt; nil: nothing.
        case unstored(own: ConfigurationState?, pending: ConfigurationState?)
        /// The document that a launch has activated will not be stored: another process has stored
        /// something else.
        case launchSuperseded

        /// What was read from the store for it.
        fileprivate var stored: Stored? {
            switch self {
            case .loaded(let stored), .reloaded(let stored, _), .forgotten(let stored): stored
            case .saved, .fallbackChanged, .confirmed, .unstored, .launchSuperseded: nil
            }
        }

        /// False when the store could not take a document; nil when nothing was to be stored.
        var isStored: Bool? {
            switch self {
            case .saved(_, let unstored): unstored == nil
            case .unstored(let own, let pending): own == nil && pending == nil
            case .loaded, .reloaded, .forgotten, .fallbackChanged, .confirmed, .launchSuperseded:
                nil
            }
        }
    }

    /// Something that may change the stored documents; within the user's turn.
    indirect enum Proposal: Sendable {
        case answered(Answer)
        /// The stored pending document.
        case activate(Vetted)
    }

    /// The answer to a request, or a document that arrived without one.
    struct Answer: Sendable {
        var outcome: DownloadOutcome
        /// Nil for "not modified"; the document asked about when only its version is later.
        var document: Vetted?
        /// The user's newest document when the request was made, or when a document without a request
        /// was compared with it, and the revision then.
        let asked: ConfigurationState?, revision: Int
        /// True for a document that the app received by other means.
        var isHandedOver = false
        /// False when nothing was asked for, or the answer confirms nothing.
        var isConfirmation = true
    }

    indirect enum Save: Sendable {
        /// As the user's own document, or as the pending one. `known`: the document
        /// asked about, which may be the same.
        case store(Vetted, asOwn: Bool, known: ConfigurationState?)
        /// The pending document becomes the user's own, by `activate()`.
        case promote(Vetted)
        /// The pending document that a launch has activated.
        case promoteLaunched(ConfigurationState)
        /// What could not be stored before.
        case again
    }

    enum Decision: Sendable {
        /// A later document is known.
        case outdated
        /// Nothing arrived.
        case unchanged
        /// The server has confirmed the newest document, which is stored.
        case confirmed
        /// Another process has stored it.
        case reload
        case save(Save)
    }

    /// A slot with its document, as memory keeps it.
    private struct Slot: Sendable {
        var document: ConfigurationState
        var source: SettingSource
        /// With the bytes of its original, while the store could not take it.
        var unstored: ConfigurationState?
        /// Of a pending document: sections that wait for a launch are active.
        var isOfEarlierLaunch = false

        init(_ document: ConfigurationState, _ source: SettingSource) {
            (self.document, self.source) = (document.keptInMemory, source)
        }

        /// Replaces the sections by equal ones.
        mutating func share(_ sections: [String: ActiveConfigSection]) {
            let original = document.original
            document.sections = sections
            // The content is the same.
            document.original = original
        }

        /// The user's own document, which is compared by its own version only: what it replaced is
        /// gone.
        var asOwn: Slot {
            var own = self
            own.document.replacedVersion = nil
            own.isOfEarlierLaunch = false
            return own
        }
    }

    private let policy: ActivationPolicy
    private var own: Slot?
    private var pending: Slot?
    private var fallback = Fallback.generic

    /// A pending document of an earlier launch that a newer one has replaced: its sections that
    /// wait for a launch stay active.
    private var launched: ConfigurationState?

    /// The store's own document where it differs from ``own``, as after a launch; the outer nil: it
    /// is the same.
    private var storedBeneath: ConfigurationState??

    /// True from the activation at a launch until the document is stored as the user's own.
    private(set) var isLaunchUnstored = false

    /// Versions of this launch that were replaced by a document that could not be stored: the
    /// store's copies of them are older even if their version is higher, since a server may roll
    /// back.
    private var replacedVersions: Set<Int> = []

    /// Number of the last change that readers can see.
    private(set) var revision = 0

    /// Number of times that stored documents were taken over, which are usually another process's.
    ///
    /// A switch of the user, and a read of the generic user's document as a fallback, do so without a
    /// turn, also between a decision and its event, which has the number at the decision
    /// (``Front/Change/takeovers``). A new fallback leaves a decision valid, so it does not count.
    private(set) var takeovers = 0

    /// The time since the user was last forgotten.
    private(set) var epoch: UserEpoch

    /// The active configuration, with the pending document: derived from the slots; nil before the
    /// first load.
    private(set) var active: KnownConfiguration?

    init(policy: ActivationPolicy, epoch: UserEpoch = UserEpoch()) {
        (self.policy, self.epoch) = (policy, epoch)
    }

    /// The user's newest document, to which a conditional request refers; nil when there is none.
    var newest: ConfigurationState? { pending?.document ?? own?.document }

    /// The user's own document, even if sections of a pending one are active above it.
    var ownDocument: ConfigurationState? { own?.document }

    /// The own document that could not be stored.
    var unstoredOwn: ConfigurationState? { own?.unstored }

    /// The pending document that could not be stored.
    var unstoredPending: ConfigurationState? { pending?.unstored }

    /// True for a user who reads a fallback, such as the generic user's document.
    var isFallback: Bool { active != nil && own == nil }

    /// True for a user who reads the generic user's document.
    var isFollower: Bool { isFallback && choice == nil }

    /// True when this launch has state of the user that is not stored.
    var isUnstored: Bool { hasUnstored || isLaunchUnstored }

    /// True when the store could not take a document.
    var hasUnstored: Bool { unstoredOwn != nil || unstoredPending != nil }

    private var choice: KnownConfiguration? {
        if case .chosen(let choice) = fallback { choice } else { nil }
    }

    private var storedOwn: ConfigurationState? { storedBeneath ?? own?.document }

    /// The versions of the user's documents in this launch, or of the fallback.
    private var versions: [Int] {
        [storedOwn, active?.configuration, pending?.document].compactMap { $0?.templateVersion }
    }

    // MARK: Decisions

    /// What to save for a proposal, which itself changes nothing.
    func decision(on proposal: Proposal) -> Decision {
        switch proposal {
        case .answered(let answer):
            let confirmed = hasUnstored ? Decision.save(.again) : .confirmed
            // It has come by another way since the request, or by a read of what was stored of it.
            if answer.revision != revision, let new = answer.document?.document,
                newest?.isSame(as: new) == true
            {
                return confirmed
            }
            if isOutdated(answer) { return .outdated }
            if let document = answer.document {
                return decision(onArrived: document, known: answer.asked)
            }
            guard let asked = answer.asked else { return .unchanged }
            guard newest.map(asked.isSame) == true else { return .reload }
            guard answer.isConfirmation else { return .unchanged }
            return confirmed
        case .activate(let document):
            return mayActivate(document.document) ? .save(.promote(document)) : .outdated
        }
    }

    /// The only decision whether an arrived document becomes active as a whole.
    private func decision(onArrived new: Vetted, known: ConfigurationState?) -> Decision {
        let waits = policy.hasToWait(
            new.document, after: active?.configuration ?? .empty, at: [.immediate])
        return .save(.store(new, asOwn: !waits, known: known))
    }

    /// False for a stored pending document that is older than the active one.
    ///
    /// A pending document in memory can have a lower version, since a server may roll back.
    func mayActivate(_ storedPending: ConfigurationState) -> Bool {
        pending?.document.isSame(as: storedPending) == true
            || own?.document.isLater(than: storedPending) != true
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

    /// True when an answer is older than a document that arrived after the request was made.
    ///
    /// A confirmation ("not modified") applies only to the document of the request.
    private func isOutdated(_ answer: Answer) -> Bool {
        guard let newest else { return false }
        if answer.isHandedOver, let new = answer.document, newest.isLater(than: new.document) {
            return true
        }
        if answer.revision == revision { return false }
        let isAskedAbout = answer.asked.map { asked in
            asked.entityTag == nil ? asked.isSame(as: newest) : asked.entityTag == newest.entityTag
        }
        guard let new = answer.document?.document, answer.outcome == .downloaded else {
            let isEarlier = answer.asked.map { newest.isLater(than: $0) } ?? false
            return isAskedAbout != true || isEarlier
        }
        guard let version = newest.templateVersion, let answered = new.templateVersion else {
            return false
        }
        // The arrived document is newer than the request, unless the request was about the same
        // document.
        let asked = answer.asked?.templateVersion ?? .min
        guard asked < version || (asked == version && isAskedAbout != true) else { return false }
        // Another document of the same version, such as one with other pinned values.
        let isEarlier = answered == version && new.entityTag != newest.entityTag
        return answered < version || isEarlier
    }

    // MARK: Events

    /// Applies an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - generic: The generic user at this moment.
    /// - Returns: False when the event is stale: read the store again. Nothing is changed then.
    @discardableResult
    mutating func handle(_ event: Event, beside generic: Generic) -> Bool {
        if let stored = event.stored, isStale(stored, beside: generic) { return false }
        let versions = versions
        let isChanged = change(by: event, beside: generic)
        replacedVersions = hasUnstored ? replacedVersions.union(versions) : []
        guard isChanged else { return true }
        revision += 1
        // A user who is not loaded can be forgotten: a running load is stale now.
        if case .forgotten = event, active == nil { return true }
        active = derived(beside: generic)
        return true
    }

    /// True when the user has changed since the content was read, or the generic user, on whom a
    /// store's choice may depend.
    private func isStale(_ stored: Stored, beside generic: Generic) -> Bool {
        if case .chosen = stored.fallback, stored.own == nil,
            stored.genericRevision != generic.revision
        {
            return true
        }
        return stored.revision != revision
    }

    /// - Returns: True when readers may see a difference.
    private mutating func change(by event: Event, beside generic: Generic) -> Bool {
        switch event {
        case .loaded(let stored):
            guard active == nil else { return false }
            load(stored, beside: generic)
            return true
        case .reloaded(let stored, let evenIfLess):
            guard active != nil else {
                load(stored, beside: generic)
                return true
            }
            return reload(stored, evenIfLess: evenIfLess, beside: generic)
        case .saved(let save, let unstored): return settle(save, unstored: unstored)
        case .forgotten(let stored):
            own = active == nil ? nil : stored.own.map { Slot($0.configuration, $0.source).asOwn }
            pending = nil
            (launched, storedBeneath, isLaunchUnstored) = (nil, nil, false)
            (fallback, epoch) = (stored.fallback, epoch.next)
            return true
        case .fallbackChanged: return isFollower
        case .confirmed: return confirm()
        case .unstored(let own, let pending):
            self.own?.unstored = own
            self.pending?.unstored = pending
            return false
        case .launchSuperseded:
            isLaunchUnstored = false
            return false
        }
    }

    private mutating func load(_ stored: Stored, beside generic: Generic) {
        (own, fallback) = (stored.own.map { Slot($0.configuration, $0.source) }, stored.fallback)
        defer { own = own?.asOwn }
        guard let storedPending = stored.pending, own?.document.isLater(than: storedPending) != true
        else {
            return
        }
        var slot = Slot(storedPending, .stored)
        // One that equals the fallback waits too: it is not the user's own, and a change of the
        // fallback would show.
        if policy.hasToWait(
            storedPending, after: derived(beside: generic).configuration,
            at: [.immediate, .nextLaunch],
            evenIfEqual: own == nil)
        {
            slot.isOfEarlierLaunch = true
            pending = slot
            return
        }
        if own?.document != storedPending {
            (storedBeneath, isLaunchUnstored) = (.some(own?.document), true)
        }
        own = slot
    }

    /// Takes over what another process stored.
    ///
    /// - Returns: False when nothing changes: a removal and an older document have no effect.
    private mutating func reload(
        _ stored: Stored, evenIfLess: Bool, beside generic: Generic
    ) -> Bool {
        let old = self
        if evenIfLess, !isUnstored, pending == nil, stored.pending == nil {
            own = stored.own.map { Slot($0.configuration, $0.source).asOwn }
            (launched, storedBeneath) = (nil, nil)
        } else {
            takeOver(stored, beside: generic)
        }
        if own == nil { fallback = stored.fallback }
        let isSame =
            own?.document == old.own?.document && pending?.document == old.pending?.document
        if !isSame { takeovers += 1 }
        guard isSame, own != nil || old.reads(fallback) else { return true }
        self = old
        return false
    }

    /// True when the user reads that fallback.
    private func reads(_ fallback: Fallback) -> Bool {
        switch (self.fallback, fallback) {
        case (.generic, .generic): true
        case (.chosen(let choice), .chosen(let other)):
            choice.configuration == other.configuration
        default: false
        }
    }

    private mutating func takeOver(_ stored: Stored, beside generic: Generic) {
        let isNewOwn = stored.own.map { isNew($0.configuration) } ?? false
        let former = pending
        if isNewOwn, let new = stored.own {
            (own, pending) = (Slot(new.configuration, new.source).asOwn, nil)
            (launched, storedBeneath, isLaunchUnstored) = (nil, nil, false)
        }
        if own == nil { fallback = stored.fallback }
        // Another one than an older one, which is a leftover.
        guard let storedPending = stored.pending, storedPending != pending?.document,
            own?.document.isLater(than: storedPending) != true,
            pending?.document.isLater(than: storedPending) != true
        else { return }
        var slot = Slot(storedPending, .stored)
        if former?.document == storedPending { slot.unstored = former?.unstored }
        let waits = policy.hasToWait(
            storedPending, after: derived(beside: generic).configuration, at: [.immediate],
            evenIfEqual: own == nil)
        if waits {
            replacePending(by: slot)
        } else {
            let storedOwn = storedOwn
            (own, pending, launched) = (slot.asOwn, nil, nil)
            storedBeneath = .some(storedOwn)
        }
    }

    /// True for another document than the stored one, unless it is older than the own document.
    private func isNew(_ document: ConfigurationState) -> Bool {
        document != storedOwn && own?.document.isLater(than: document) != true
    }

    private mutating func replacePending(by new: Slot) {
        if let pending, pending.isOfEarlierLaunch { launched = pending.document }
        pending = new
    }

    /// The newest document counts as downloaded in this launch.
    ///
    /// - Returns: True when readers may see a difference.
    private mutating func confirm() -> Bool {
        guard (pending ?? own)?.source != .downloaded else { return false }
        if pending != nil { pending?.source = .downloaded } else { own?.source = .downloaded }
        return own != nil || pending != nil
    }

    /// - Returns: True when readers may see a difference.
    private mutating func settle(_ save: Save, unstored: ConfigurationState?) -> Bool {
        switch save {
        case .store(let new, asOwn: false, _):
            var slot = Slot(new.document, .downloaded)
            slot.unstored = unstored
            replacePending(by: slot)
        case .store(let new, asOwn: true, _):
            become(new.document, .downloaded, unstored: unstored)
        case .promote(let new):
            become(new.document, pending?.source ?? .stored, unstored: unstored)
        case .promoteLaunched:
            own?.unstored = unstored
            (isLaunchUnstored, storedBeneath) = (false, nil)
            return false
        case .again: return false
        }
        return true
    }

    private mutating func become(
        _ document: ConfigurationState, _ source: SettingSource, unstored: ConfigurationState?
    ) {
        var slot = Slot(document, source).asOwn
        slot.unstored = unstored
        (own, pending, launched, storedBeneath, isLaunchUnstored) = (slot, nil, nil, nil, false)
    }

    /// The active configuration: the own document or the fallback, with the sections of the
    /// pending document that need not wait.
    private func derived(beside generic: Generic) -> KnownConfiguration {
        let base =
            own.map { KnownConfiguration($0.document, source: $0.source, isOwn: true) }
            ?? choice ?? generic.fallback
        guard let pending else { return base }
        var document = base.configuration
        if let launched { _ = policy.adopt(launched, into: &document, at: [.nextLaunch]) }
        let adopted = policy.adopt(
            pending.document, into: &document,
            at: pending.isOfEarlierLaunch ? [.immediate, .nextLaunch] : [.immediate])
        let isPartlyActive = document.sections != base.configuration.sections
        // A mixed document has no entity tag: the server never sent it.
        if isPartlyActive { document.entityTag = nil }
        return KnownConfiguration(
            document, source: base.source, isOwn: base.isOwn,
            pending: .init(
                configuration: pending.document, source: pending.source, adopted: adopted,
                isPartlyActive: isPartlyActive))
    }

    /// Takes over the sections of an equal active configuration, which other users share, so that
    /// each is in memory once.
    mutating func share(_ known: KnownConfiguration) {
        if known === active { return }
        active = known
        guard let pending = known.pending else {
            own?.share(known.configuration.sections)
            return
        }
        self.pending?.share(pending.configuration.sections)
        guard let sections = own?.document.sections else { return }
        // Others are those of the pending document.
        let active = known.configuration.sections
        own?.share(
            sections.reduce(into: [:]) { shared, section in
                let same = active[section.key].flatMap { $0 == section.value ? $0 : nil }
                shared[section.key] = same ?? section.value
            })
    }
}
