/// A user's active document with its source, and the pending newer one.
final class KnownConfiguration: Sendable {
    /// A newer document of the user that waits for activation.
    struct Pending: Sendable {
        private(set) var configuration: ConfigurationState
        let source: SettingSource
        /// The sections that are active already.
        var adopted: Set<String> = []
        /// True when its active sections differ from those they replaced.
        var isPartlyActive = false
        /// The moments at which its sections became active so far.
        var moments: Set<ActivationPolicy.Moment> = []

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
    /// Activates the sections of a newer document for which `moment` is the policy's moment.
    ///
    /// `isStored`: the document is pending in the store. A document that equals the fallback by now
    /// stays pending: it is not the user's own, and a change of the fallback would show.
    func bringing(
        _ new: Pending, _ policy: ActivationPolicy, at moments: Set<ActivationPolicy.Moment>,
        isStored: Bool = false
    ) -> KnownConfiguration {
        let (document, adopted, isWhole) = policy.bringing(
            new.configuration, to: configuration, at: moments,
            waitsIfEqual: isStored && !isOwn)
        if isWhole {
            return KnownConfiguration(new.configuration, source: new.source, isOwn: true)
        }
        var pending = new
        pending.moments = moments
        pending.isPartlyActive =
            document.sections != configuration.sections || self.pending?.isPartlyActive == true
        pending.adopted = adopted.filter { name in
            new.configuration.sections[name] != nil
        }
        return KnownConfiguration(document, source: source, isOwn: isOwn, pending: pending)
    }

    /// Activates the sections of a downloaded document that need not wait.
    func bringing(
        downloaded newest: ConfigurationState, _ policy: ActivationPolicy
    ) -> KnownConfiguration {
        bringing(.init(configuration: newest, source: .downloaded), policy, at: [.immediate])
    }

    /// Activates the sections of a stored pending document for which `moment` is the policy's
    /// moment.
    func bringing(
        stored waiting: ConfigurationState, _ policy: ActivationPolicy,
        at moments: Set<ActivationPolicy.Moment>
    ) -> KnownConfiguration {
        bringing(
            .init(configuration: waiting, source: .stored), policy, at: moments, isStored: true)
    }

    /// The active document alone.
    var withoutPending: KnownConfiguration {
        pending == nil ? self : KnownConfiguration(configuration, source: source, isOwn: isOwn)
    }

    /// The generic user's configuration for a user without a document: it lends no entity tag.
    var asFallback: KnownConfiguration {
        guard isOwn else { return withoutPending }
        var configuration = configuration
        configuration.entityTag = nil
        return KnownConfiguration(configuration, source: .genericUser, isOwn: false)
    }

    /// True for the user's own document, if its version is later than another one's.
    func isLater(than other: ConfigurationState) -> Bool {
        isOwn && configuration.isLater(than: other)
    }

    /// The configuration whose active document is compared by its own version only: what it replaced
    /// is gone.
    var withoutReplacedVersion: KnownConfiguration {
        guard configuration.replacedVersion != nil else { return self }
        var configuration = configuration
        configuration.replacedVersion = nil
        return KnownConfiguration(configuration, source: source, isOwn: isOwn, pending: pending)
    }

    /// The pending document, else the active one.
    var newest: ConfigurationState { pending?.configuration ?? configuration }

    func hasSameDocuments(as other: KnownConfiguration) -> Bool {
        configuration == other.configuration
            && pending?.configuration == other.pending?.configuration
    }

    /// True for a document of a lower version than the user's own active one.
    func isOlder(than known: KnownConfiguration) -> Bool {
        known.isLater(than: configuration)
    }
}
