/// Activations of documents, which are reported to the vettings before and afterwards.
extension ActiveConfig {
    /// The document that an event activates for the current user, provided nothing else happens
    /// before; nil without vettings or activation.
    func activation(
        of entry: UserEntry, after event: UserEvent
    ) -> ConfigurationActivation? {
        let isStale =
            event.event.map {
                entry.documents.isStale($0, genericRevision: generic.documents.revision)
            } ?? false
        if vettings.isEmpty || isStale { return nil }
        let current = event.isSwitch ? entry : state.withLock { $0.entry }
        let documents = event.event.map { self.state(of: entry, after: $0) } ?? entry.documents
        if entry === current {
            return .init(documents.active, of: entry.userID, generic: generic.documents.active)
        }
        guard entry === generic, current.documents.isFollower else { return nil }
        let following = documents.active.map {
            current.documents.after(.fallbackChanged($0.asFallback))
        }
        return .init(following?.active, of: current.userID, generic: documents.active)
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
