public import Foundation

/// A configuration bundled with the app, for the time before the first download.
///
/// It is read and parsed once, and only if a store has nothing else: while a configuration is
/// stored, the file is never opened.
///
/// ```swift
/// let store = try FileDefaultsStore(bootstrap: .resource("InitialActiveConfig"))
/// ```
public struct BootstrapConfiguration: Sendable {
    private enum Source: Sendable {
        case state(ConfigurationState)
        case jsonFile(URL)
        case absent(name: String, bundle: String)
    }

    private enum Progress: Sendable {
        case unread(Source)
        case read(ConfigurationState?)
    }

    private let progress: Locked<Progress>

    private init(_ source: Source) {
        progress = Locked(.unread(source))
    }

    /// A bootstrap created in code.
    public static func state(_ state: ConfigurationState) -> BootstrapConfiguration {
        BootstrapConfiguration(.state(state))
    }

    /// A bootstrap in a file of the exchange format.
    ///
    /// A file that is unreadable or not a usable document is logged once as an error, and then
    /// treated as absent.
    public static func jsonFile(_ url: URL) -> BootstrapConfiguration {
        BootstrapConfiguration(.jsonFile(url))
    }

    /// A bootstrap in a file of the exchange format in a bundle.
    ///
    /// A file that is not in the bundle, cannot be read, or is not a usable document, is logged once
    /// as an error, and is then treated as if there were no bootstrap.
    ///
    /// - Parameters:
    ///   - name: The file's name, with or without its ending `.json`.
    ///   - bundle: The bundle; `.module` for a resource of a Swift package.
    /// - Returns: The bootstrap.
    public static func resource(
        _ name: String, in bundle: Bundle = .main
    ) -> BootstrapConfiguration {
        let base = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
        guard let url = bundle.url(forResource: base, withExtension: "json") else {
            return BootstrapConfiguration(.absent(name: base, bundle: bundle.bundlePath))
        }
        return .jsonFile(url)
    }

    /// The configuration, read on the first call; nil when it cannot be read.
    ///
    /// Two threads that call it first can both read; one of them logs.
    ///
    /// - Parameter log: The log that receives, once, the reason why it cannot be read.
    /// - Returns: The configuration, without an entity tag.
    package func state(log: ActiveConfigLog) -> ConfigurationState? {
        let source: Source
        switch progress.withLock({ $0 }) {
        case .read(let state): return state
        case .unread(let unread): source = unread
        }
        let (state, level, problem) = Self.read(source)
        let isFirst = progress.withLock { progress in
            guard case .unread = progress else { return false }
            progress = .read(state)
            return true
        }
        if isFirst, let problem { log(level, problem) }
        return state
    }

    /// The configuration if that requires opening no file; the inner nil: there is none.
    var stateIfOpened: ConfigurationState?? {
        switch progress.withLock({ $0 }) {
        case .read(let state): .some(state)
        case .unread(.state(let state)): .some(state)
        case .unread(.jsonFile), .unread(.absent): nil
        }
    }

    private static func problemsText(
        of state: ConfigurationState, _ subject: String
    ) -> String? {
        // A store does not know which settings are secret.
        state.problemsText(of: subject, isSecret: { _ in true })
    }

    private static func read(
        _ source: Source
    ) -> (ConfigurationState?, ActiveConfigLog.Level, problem: String?) {
        switch source {
        case .state(var state):
            // A bundled configuration must not make a request conditional.
            state.entityTag = nil
            return (state, .warning, problemsText(of: state, "The bootstrap configuration"))
        case .jsonFile(let url):
            do {
                let state = try ConfigurationState(jsonData: Data(contentsOf: url))
                let problem = problemsText(of: state, "The bootstrap configuration \(url.path)")
                return (state, .warning, problem)
            } catch {
                return (
                    nil, .error,
                    "The bootstrap configuration \(url.path) cannot be used, so there is none: "
                        + error.logDescription
                )
            }
        case .absent(let name, let bundle):
            return (
                nil, .error,
                "There is no bootstrap configuration: \(name).json is not in \(bundle); add it to the "
                    + "target's resources, and pass `in: .module` if the target is of a Swift package."
            )
        }
    }
}

/// The configuration that a store returns for a user without an own one.
///
/// A store of your own keeps ``genericUser(then:log:)`` in a constant, returns it from
/// ``ActiveConfigStore/fallback``, and returns ``lastKnownConfiguration(in:forUserID:)`` from
/// ``ActiveConfigStore/lastKnownActiveConfiguration(forUserID:)``. It also implements
/// ``ActiveConfigStore/ownConfiguration(forUserID:)``, the only method that is then called. A computed
/// `fallback` loses the log that it inherits from the ``ActiveConfig``.
///
/// A store that wraps another one forwards both members. Without the fallback the framework cannot
/// distinguish a fallback from a user's own configuration, and vets a bootstrap as a stored document.
public struct StoreFallback: Sendable {
    /// True when the generic user's configuration comes first.
    let isGeneric: Bool
    let bootstrap: BootstrapConfiguration?
    let log: ActiveConfigLog

    /// The store's own order, implemented by
    /// ``ActiveConfigStore/lastKnownActiveConfiguration(forUserID:)``.
    public static let opaque = StoreFallback(isGeneric: false, bootstrap: nil, log: .disabled)

    /// The generic user's own configuration, then a bootstrap.
    ///
    /// - Parameters:
    ///   - bootstrap: The last fallback; nil is none.
    ///   - log: Receives a message about a bootstrap that cannot be read; nil is the log of the
    ///     ``ActiveConfig`` that uses the store.
    /// - Returns: The order.
    public static func genericUser(
        then bootstrap: BootstrapConfiguration?, log: ActiveConfigLog? = nil
    ) -> StoreFallback {
        StoreFallback(isGeneric: true, bootstrap: bootstrap, log: log ?? .inherited())
    }

    /// The bootstrap's configuration; nil when there is none.
    var bootstrapState: ConfigurationState? { bootstrap?.state(log: log) }

    /// The user's own configuration, else the generic user's, else the bootstrap's: what
    /// ``ActiveConfigStore/lastKnownActiveConfiguration(forUserID:)`` returns.
    ///
    /// Each is read only when those before it are absent. A fallback has no entity tag, since it is
    /// not the user's.
    ///
    /// Call it on a fallback that ``genericUser(then:log:)`` returned. A store that wraps one with
    /// ``opaque`` forwards ``ActiveConfigStore/lastKnownActiveConfiguration(forUserID:)`` instead.
    ///
    /// - Parameters:
    ///   - store: The store, which implements ``ActiveConfigStore/ownConfiguration(forUserID:)``.
    ///   - userID: The user; nil is the generic user.
    /// - Returns: The configuration; nil when there is none.
    public func lastKnownConfiguration(
        in store: some ActiveConfigStore, forUserID userID: String?
    ) -> ConfigurationState? {
        if let own = store.ownConfiguration(forUserID: userID) { return own }
        guard userID != nil, var generic = store.ownConfiguration(forUserID: nil) else {
            return bootstrapState
        }
        generic.entityTag = nil
        return generic
    }
}
