public import Observation

/// The settings of an ``ActiveConfig`` for the main actor, observed one by one.
///
/// ```swift
/// struct CheckoutView: View {
///     let settings: ObservableActiveConfig
///     var body: some View { if settings[.isCheckoutOn] { PayButton() } }
/// }
/// ```
///
/// A view that reads one setting is not evaluated again when another changes, nor when the value is
/// equal. Everything else that uses Observation follows it in the same way; see
/// <doc:SwiftUI-and-Observation>.
///
/// All reads between two updates are of one configuration: it is replaced on the main actor, soon
/// after another became active. The first values are there when the object is created.
@MainActor
public final class ObservableActiveConfig: Observable {
    private nonisolated let source: any ObservedSource
    private let observed: ObservedConfiguration

    /// Observes the configuration of the current user, whoever that is.
    ///
    /// The store is read now, unless something has been read before.
    ///
    /// - Parameter config: The configuration.
    public convenience init(_ config: ActiveConfig) { self.init(source: config) }

    /// Observes the configuration of one user, current or not.
    ///
    /// The store is read now, unless something has been read before.
    ///
    /// - Parameter user: The user's configuration.
    public convenience init(_ user: UserConfiguration) { self.init(source: user) }

    init(source: any ObservedSource) {
        self.source = source
        observed = source.observed
    }

    /// The value of a setting, or the key's default.
    public subscript<Value>(key: SettingKey<Value>) -> Value { value(of: SettingSelection(key)) }

    /// A section; nil when there is none.
    public subscript(sectionName: String) -> ActiveConfigSection? {
        observed.track(.section(sectionName))
        return observed.snapshot.sections[sectionName]
    }

    /// A whole section, decoded; see ``SettingsReading/section(_:)``.
    public func section<Section: SettingsSection>(_ type: Section.Type) -> Section {
        value(of: SettingSelection(type))
    }

    func value<Value>(of selection: SettingSelection<Value>) -> Value {
        selection.track(observed)
        return selection.read(source.config, observed.snapshot)
    }

    /// The user whose configuration this is; nil is the generic user.
    public var userID: String? {
        observed.track(.user)
        return observed.snapshot.userID.string
    }

    /// The last download, and how fresh the active document is.
    ///
    /// It is as of the last download, change or mark: the end of an interval or of a wait notifies no
    /// observer.
    public var status: ConfigurationStatus {
        observed.track(.status)
        return observed.status
    }

    /// The changes that `activate()` would make, sorted by section.
    public var pendingChanges: [SectionChange] {
        observed.track(.pending)
        return observed.snapshot.pendingChanges
    }

    /// Updates synchronously, instead of at the main actor's next turn, and notifies those who have read
    /// what differs: for tests.
    public func refresh() { observed.update() }

    /// The reason of the last update.
    ///
    /// Reading it is not observed.
    public var reason: SectionChange.Reason { observed.snapshot.reason }
}
