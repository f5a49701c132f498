public import Observation

/// The settings of an ``ActiveConfig`` for the main actor, observed individually.
///
/// ```swift
/// struct CheckoutView: View {
///     let settings: ObservableActiveConfig
///     var body: some View { if settings[.isCheckoutOn] { PayButton() } }
/// }
/// ```
///
/// A view that reads one setting is not evaluated again when another changes, nor when the new
/// value is equal. Other users of Observation follow it in the same way; see
/// <doc:Observing-changes>.
///
/// All reads between two updates see one configuration: it is replaced on the main actor, soon
/// after another became active. The first values are available at once.
@MainActor
public final class ObservableActiveConfig: Observable {
    private nonisolated let source: any ObservedSource
    private let observed: ObservedConfiguration

    /// Observes the configuration of the current user, whichever user that is at the time.
    ///
    /// Reads the store now, unless it has been read before.
    ///
    /// - Parameter config: The configuration.
    public convenience init(_ config: ActiveConfig) { self.init(source: config) }

    /// Observes the configuration of one user, current or not.
    ///
    /// Reads the store now, unless it has been read before.
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
    /// It changes with a download, a change of the configuration or `markStale()`:
    /// the end of an interval or wait notifies no observer.
    public var status: ConfigurationStatus {
        observed.track(.status)
        return observed.status
    }

    /// The changes that `activate()` would make, sorted by section.
    public var pendingChanges: [SectionChange] {
        observed.track(.pending)
        return observed.snapshot.pendingChanges
    }

    /// Updates synchronously instead of at the main actor's next turn, and notifies observers of
    /// what differs: for tests.
    public func refresh() { observed.update() }

    /// The reason of the last update.
    ///
    /// Reading it is not observed.
    public var reason: SectionChange.Reason { observed.snapshot.reason }
}
