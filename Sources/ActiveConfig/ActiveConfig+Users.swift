extension ActiveConfig {
    /// The configuration of any user, as for a service that acts for many at once.
    ///
    /// ```swift
    /// let user = config.configuration(forUserID: request.userID)
    /// if user[.isCheckoutOn] { … }
    /// ```
    ///
    /// The current user stays who it is. What the store has of the user is read at first use, and kept
    /// in memory within ``ActiveConfigOptions/userCache``.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Returns: A handle. It costs little, so that each request may ask for its own.
    public func configuration(forUserID userID: String?) -> UserConfiguration {
        UserConfiguration(self, users.entry(of: UserID(userID)))
    }

    /// A user's configuration, loaded on first use.
    @discardableResult
    func loadedSnapshot(of entry: UserEntry) -> ConfigurationSnapshot {
        while true {
            if let known = entry.snapshot { return known }
            let version = entry.version
            let known = lastKnownConfiguration(of: entry.userID) ?? .none
            // Until it is stored, it is in memory whether the user is or not.
            storeLaunchLater(of: entry.userID)
            load(known, into: entry, ifVersion: version, reason: .restored)
        }
    }

    /// As `loadedSnapshot(of:)`, but the store is not called on a cooperative thread.
    func loadedSnapshotInTask(of entry: UserEntry) async -> ConfigurationSnapshot {
        if let known = entry.snapshot { return known }
        return await storeCalls.run { self.loadedSnapshot(of: entry) }
    }

    /// The user's own configuration, if it is in memory.
    func ownConfigurationInMemory(ofUser userID: UserID) -> ConfigurationState? {
        guard let snapshot = users.livingEntry(of: userID)?.snapshot, snapshot.isOwn else {
            return nil
        }
        return snapshot.configuration
    }

    /// Brings a user's configuration in force for its handles, while no other one is.
    func bringInForce(
        _ known: KnownConfiguration, ofUser userID: UserID, _ layers: ConfigurationLayers,
        reason: SectionChange.Reason
    ) {
        if userID == .generic { invalidateLoads(of: userID) }
        guard let entry = users.livingEntry(of: userID) else { return }
        entry.replace(
            with: users.snapshot(of: userID, known: known, layers: layers, reason: reason))
    }

    /// Brings what need not wait of a download in force for the user's handles, while no other
    /// configuration is.
    func bringInForce(
        downloaded configuration: ConfigurationState, ofUser userID: UserID,
        _ layers: ConfigurationLayers
    ) {
        let known: KnownConfiguration? =
            if options.activation.isImmediate {
                .downloaded(configuration)
            } else {
                users.livingEntry(of: userID)?.snapshot?.known.bringing(
                    downloaded: configuration, options.activation)
            }
        guard let known else { return invalidateLoads(of: userID) }
        bringInForce(known, ofUser: userID, layers, reason: .downloaded)
    }

    /// Invalidates the loads that run for a user's handles; for the generic user those of all handles,
    /// since each may be loading that user's former configuration as its fallback.
    private func invalidateLoads(of userID: UserID) {
        let entries =
            userID == .generic
            ? users.livingEntries : [users.livingEntry(of: userID)].compactMap(\.self)
        for entry in entries { entry.invalidateLoads() }
    }

    /// Brings the layers in force for all handles, while no other configuration is.
    func applyToUsers(_ layers: ConfigurationLayers, reason: SectionChange.Reason) {
        for entry in users.livingEntries {
            guard let old = entry.snapshot else { continue }
            entry.replace(
                with: users.snapshot(
                    of: entry.userID, known: old.known, layers: layers, reason: reason))
        }
    }

    /// Brings what the store has now in force for the handles of a user, and for those that had that
    /// user's configuration as a fallback.
    func reloadUsers(afterForgetting userID: UserID) {
        for entry in users.livingEntries where entry.userID == userID || userID == .generic {
            entry.invalidateLoads()
            let version = entry.version
            guard let old = entry.snapshot, entry.userID == userID || !old.isOwn else { continue }
            let known = lastKnownConfiguration(of: entry.userID) ?? .none
            // A configuration that was downloaded since is newer.
            load(known, into: entry, ifVersion: version, reason: .forgotten)
        }
    }

    /// Replaces a user's snapshot, unless another has taken its place since `version`.
    func load(
        _ known: KnownConfiguration, into entry: UserEntry, ifVersion version: Int,
        reason: SectionChange.Reason
    ) {
        replacingSnapshot { _, layers in
            // A stale snapshot must not be counted in the cache.
            guard entry.version == version else { return }
            entry.replace(
                with: users.snapshot(
                    of: entry.userID, known: known, layers: layers, reason: reason),
                ifVersion: version)
        }
    }
}
