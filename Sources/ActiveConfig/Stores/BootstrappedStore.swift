/// A store with the framework's order of fallbacks: user, generic user, bootstrap.
protocol BootstrappedStore: ActiveConfigStore {
    /// The configuration that the app brings along, if it does.
    var bootstrap: BootstrapConfiguration? { get }
    /// Where the store tells what it could not read.
    var log: ActiveConfigLog { get }
}

extension BootstrappedStore {
    /// The user's own configuration, else the generic user's, else the bootstrap's.
    ///
    /// Each is looked at only when those before it are not there. A fallback has no entity tag: it
    /// is not the user's.
    public func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        if let own = ownConfiguration(forUserID: userID) { return own }
        if userID != nil, var generic = ownConfiguration(forUserID: nil) {
            generic.entityTag = nil
            return generic
        }
        return bootstrap?.state(log: log)
    }
}
