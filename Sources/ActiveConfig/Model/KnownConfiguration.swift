/// A user's active document with its source, and the pending newer one.
final class KnownConfiguration: Sendable {
    /// A newer document of the user that waits for activation.
    struct Pending: Sendable {
        private(set) var configuration: ConfigurationState
        let source: SettingSource
        /// The sections that are active already.
        let adopted: Set<String>
        /// True when the active sections differ from those of the document beneath.
        let isPartlyActive: Bool

        /// The same with an equal document, such as one with shared sections.
        func with(_ configuration: ConfigurationState) -> Pending {
            var pending = self
            pending.configuration = configuration
            return pending
        }
    }

    let configuration: ConfigurationState
    let source: SettingSource
    /// True when it is known to be the user's own, not a fallback.
    let isOwn: Bool
    let pending: Pending?

    init(
        _ configuration: ConfigurationState, source: SettingSource, isOwn: Bool,
        pending: Pending? = nil
    ) {
        self.configuration = configuration
        self.source = source
        self.isOwn = isOwn
        self.pending = pending
    }

    static func downloaded(_ configuration: ConfigurationState) -> KnownConfiguration {
        KnownConfiguration(configuration, source: .downloaded, isOwn: true)
    }

    /// A configuration that is not the user's own; nil: none.
    static func fallback(
        _ configuration: ConfigurationState?, _ source: SettingSource
    ) -> KnownConfiguration {
        configuration.map { KnownConfiguration($0, source: source, isOwn: false) } ?? .none
    }

    static let none = KnownConfiguration(.empty, source: .absent, isOwn: false)
}

extension KnownConfiguration {
    /// The generic user's configuration for a user without a document: it lends no entity tag.
    var asFallback: KnownConfiguration {
        guard isOwn else {
            return pending == nil
                ? self : KnownConfiguration(configuration, source: source, isOwn: false)
        }
        var configuration = configuration
        configuration.entityTag = nil
        return KnownConfiguration(configuration, source: .genericUser, isOwn: false)
    }

    /// The pending document, else the active one.
    var newest: ConfigurationState { pending?.configuration ?? configuration }
}
