internal import Foundation

/// The documents of users in the store: the only type that calls a store's methods on them.
///
/// It keeps no document. What it reads, the vettings have accepted.
struct UserStorage: Sendable {
    let store: MarkedStore?
    let vettings: Vettings
    let log: ActiveConfigLog
    /// True when documents can wait for their activation.
    let holdsBack: Bool
    /// True when the store has the framework's order of fallbacks: user, generic user, bootstrap;
    /// also without a store.
    let fallsBackToGeneric: Bool
    private let isUnsupportedLogged = Locked(false)

    init(
        _ store: MarkedStore?, vettings: Vettings, policy: ActivationPolicy, log: ActiveConfigLog
    ) {
        (self.store, self.vettings, self.log) = (store, vettings, log)
        holdsBack = !policy.isImmediate
        fallsBackToGeneric = store?.fallback.isGeneric ?? true
    }

    /// What a user reads who has no document in memory.
    enum Base {
        /// The user's own document.
        case own(KnownConfiguration)
        /// A fallback other than the generic user's configuration.
        case chosen(KnownConfiguration)
        /// The generic user's configuration in memory, whatever the store has of it.
        case generic
    }

    /// The user's own stored document.
    func own(of userID: UserID) -> ConfigurationState? {
        vettings.accepted(
            stored: store?.ownConfiguration(forUserID: userID.string), of: userID)
    }

    /// The user's pending document.
    func pending(of userID: UserID, _ documents: UserDocuments) -> Vetted? {
        keptPending(of: userID, documents).flatMap { accepted(pending: $0, of: userID) }
    }

    func accepted(pending: ConfigurationState, of userID: UserID) -> Vetted? {
        vettings.accepted(pending: pending, of: userID) { own(of: userID) }
    }

    /// The user's pending document, even if a vetting does not accept it.
    func keptPending(
        of userID: UserID, _ documents: UserDocuments
    ) -> ConfigurationState? {
        if let unstored = documents.unstoredPending { return unstored }
        do {
            return try store?.pendingConfiguration(forUserID: userID.string)
        } catch is StoreRecord.UnsupportedError {
            logUnsupportedRecords()
        } catch {
            log(
                .warning,
                "The pending configuration of \(userID.logName) cannot be used and is left out: "
                    + error.logDescription)
        }
        return nil
    }

    /// The user's newest document, to which a conditional request may refer: the pending one, else
    /// the user's own.
    ///
    /// Another process can have stored a newer one, or removed it. Usually only a tag is read.
    func newest(
        of userID: UserID, _ documents: UserDocuments
    ) -> ConfigurationState? {
        if holdsBack, let pending = pending(of: userID, documents)?.document,
            documents.mayActivate(pending)
        {
            return pending
        }
        let inMemory = documents.ownDocument
        if documents.isLaunchUnstored { return inMemory }
        guard let store else { return inMemory }
        if let unstored = documents.unstoredOwn { return unstored }
        if let inMemory, let tag = inMemory.entityTag,
            store.ownEntityTag(forUserID: userID.string) == tag
        {
            return inMemory
        }
        return own(of: userID)
    }

    /// The user's own document, or the fallback: the one place that asks a store for a fallback.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - documents: The user's documents in memory.
    ///   - isGenericLoaded: True when the generic user's configuration is in memory.
    /// - Returns: The document, or whom the user follows.
    func base(
        of userID: UserID, _ documents: UserDocuments, isGenericLoaded: Bool
    ) -> Base {
        fallsBackToGeneric || documents.unstoredOwn != nil
            ? baseInOrder(of: userID, documents)
            : choice(of: userID, isLoaded: documents.active != nil, isGenericLoaded)
    }

    /// Reads in the framework's order: own document, generic user, bootstrap.
    private func baseInOrder(of userID: UserID, _ documents: UserDocuments) -> Base {
        let own = own(of: userID)
        if let unstored = documents.unstoredOwn,
            // Unless another process has stored a later one.
            !documents.isSuperseded(unstored, by: own?.templateVersion)
        {
            return .own(.downloaded(unstored))
        }
        if let own { return .own(KnownConfiguration(own, source: .stored, isOwn: true)) }
        if userID != .generic { return .generic }
        return .chosen(.fallback(store?.fallback.bootstrapState, .bootstrap))
    }

    /// Reads what a store with fallbacks of its own has for a user: the user's own document, if the
    /// store says so, or its choice.
    ///
    /// A choice that equals the generic user's document counts as that document: a newer one in
    /// memory need not be stored yet.
    private func choice(of userID: UserID, isLoaded: Bool, _ isGenericLoaded: Bool) -> Base {
        guard let store else { return .generic }
        let found = store.lastKnownActiveConfiguration(forUserID: userID.string)
        // Otherwise memory has the same as the store, and one read suffices: whom the user follows
        // is asked when the generic user is loaded.
        let isOwnerNeeded = isLoaded || !vettings.isEmpty || holdsBack || isGenericLoaded
        var isRefused = false
        if isOwnerNeeded, found != nil,
            let stored = store.ownConfiguration(forUserID: userID.string)
        {
            if let own = vettings.accepted(stored: stored, of: userID) {
                return .own(KnownConfiguration(own, source: .stored, isOwn: true))
            }
            // The document must not be used, so the user has none.
            isRefused = true
        }
        if userID == .generic {
            let usable = isRefused ? nil : vettings.accepted(stored: found, of: userID)
            return .chosen(.fallback(usable, .stored))
        }
        if isRefused
            || isOwnerNeeded && found == store.lastKnownActiveConfiguration(forUserID: nil)
        {
            return .generic
        }
        // A store without `ownConfiguration` may have returned the user's own document.
        return .chosen(
            .fallback(vettings.accepted(stored: found, of: userID, orOf: .generic), .stored))
    }

    /// The sections of the generic user, who is not loaded; nil when finding out would open a
    /// bootstrap file.
    ///
    /// - Parameter hasNothing: True when another user was found to have neither a document nor a
    ///   fallback.
    /// - Returns: The sections.
    func genericSections(hasNothing: Bool) -> [String: ActiveConfigSection]? {
        guard let store, fallsBackToGeneric else {
            // Every user falls back to the generic configuration, so there is none.
            if hasNothing { return [:] }
            let found = store?.lastKnownActiveConfiguration(forUserID: nil)
            return (vettings.accepted(stored: found, of: .generic) ?? .empty).sections
        }
        if let own = own(of: .generic) { return own.sections }
        guard let bootstrap = store.fallback.bootstrap else { return [:] }
        return bootstrap.stateIfOpened.map { ($0 ?? .empty).sections }
    }

    /// Logs once which features a store without records loses.
    func logUnsupportedRecords() {
        let isFirst = isUnsupportedLogged.withLock { isLogged in
            defer { isLogged = true }
            return !isLogged
        }
        guard isFirst, let store else { return }
        log(
            .warning,
            "\(type(of: store.base)) keeps no records, so these last as long as the process: a document "
                + "that waits for its activation, the times and waits of downloads, custom signals, "
                + "acknowledgements, and the launches of a crash guard, which does nothing.")
    }
}
