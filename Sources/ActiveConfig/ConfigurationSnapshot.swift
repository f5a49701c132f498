/// A configuration at one moment, for several reads of the same document.
///
/// ```swift
/// let snapshot = config.snapshot
/// if snapshot[.isCheckoutOn] { pay(within: snapshot[.checkoutTimeout]) }
/// ```
///
/// It does not change when another configuration becomes active. It retains its ``ActiveConfig``.
public struct ConfigurationSnapshot: Sendable {
    let config: ActiveConfig
    let contents: SnapshotContents

    /// The user; nil is the generic user.
    public var userID: String? { contents.userID.string }

    /// The document, without in-app defaults and overrides.
    public var document: ConfigurationState { contents.configuration }

    /// The snapshot that `activate()` would make active; nil when no document is pending.
    public var pending: ConfigurationSnapshot? {
        contents.pending.map { ConfigurationSnapshot(config: config, contents: $0) }
    }

    /// The sections by name, with in-app defaults and overrides.
    public var sections: [String: ActiveConfigSection] {
        contents.sections.entries.reduce(into: [:]) { $0[$1.name] = $1.value }
    }
}

extension ConfigurationSnapshot: SettingsReading {
    /// The snapshot itself.
    public var snapshot: ConfigurationSnapshot { self }
}
