/// Activations of documents, which are reported to the vettings before and afterwards.
extension ActiveConfig {
    /// The document that becomes active for the current user; nil when it stays.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - entry: Its user.
    ///   - before: The user's documents before it.
    ///   - after: The user's documents after it.
    ///   - current: The current user before it.
    /// - Returns: The activation.
    func activation(
        by event: UserEvent, of entry: UserEntry, from before: UserDocuments,
        to after: UserDocuments, _ current: UserEntry
    ) -> ConfigurationActivation? {
        if entry === current || event.isSwitch {
            if after.active === before.active, entry === current { return nil }
            let lent = entry === generic ? after.active : generic.documents.active
            return .init(after.active, of: entry.userID, generic: lent)
        }
        guard entry === generic, after.active !== before.active else { return nil }
        var documents = current.documents
        guard documents.isFollower else { return nil }
        let lent = UserDocuments.Generic(
            fallback: after.active?.asFallback ?? .none, revision: after.revision)
        documents.handle(.fallbackChanged, beside: lent)
        return .init(documents.active, of: current.userID, generic: after.active)
    }

    /// Reports the active document to the vettings.
    func settleActivation() {
        let (activation, number) = transitions.withLock { transitions in
            transitions.activationCount += 1
            let entry = transitions.entry
            return (
                ConfigurationActivation(
                    entry.documents.active, of: entry.userID, generic: generic.documents.active),
                transitions.activationCount
            )
        }
        vettings.didActivate(activation, number: number)
    }
}

extension ConfigurationActivation {
    func isSame(as other: ConfigurationActivation) -> Bool {
        guard UserID(userID) == UserID(other.userID), isWhole == other.isWhole else {
            return false
        }
        guard let document, let other = other.document else {
            return (document == nil) == (other.document == nil)
        }
        return document.isSame(as: other)
    }

    /// The document of a user's active configuration.
    ///
    /// - Parameters:
    ///   - known: The active configuration; nil before it is loaded.
    ///   - userID: The user.
    ///   - generic: The generic user's, which may supply the document.
    init(_ known: KnownConfiguration?, of userID: UserID, generic: KnownConfiguration?) {
        // Only its active sections are new.
        if let pending = known?.pending, pending.isPartlyActive {
            self.init(pending.configuration, userID: userID.string, isWhole: false)
            return
        }
        switch known?.source {
        case .downloaded?, .stored?: self.init(known?.configuration, userID: userID.string)
        case .genericUser?:
            self.init(
                generic.flatMap { $0.isOwn ? $0.configuration : nil }, userID: nil)
        default: self.init(nil, userID: userID.string)
        }
    }
}
