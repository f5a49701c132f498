public import Foundation
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
/// after another became active. The first values are there when the observer is created.
@MainActor
public final class ObservableActiveConfig: Observable {
    /// The configuration that is observed.
    public nonisolated let activeConfig: ActiveConfig

    private let observed: ObservedConfiguration

    /// Creates an observer.
    ///
    /// The store is read now, unless something has been read before.
    ///
    /// - Parameter activeConfig: The configuration.
    public init(_ activeConfig: ActiveConfig) {
        self.activeConfig = activeConfig
        observed = activeConfig.observed
    }

    /// The value of a setting, or the key's default.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        observed.track(key)
        return activeConfig.value(of: key, in: observed.snapshot)
    }

    /// A section; nil when there is none.
    public subscript(sectionName: String) -> ActiveConfigSection? {
        observed.track(.section(sectionName))
        return observed.snapshot.sections[sectionName]
    }

    /// A whole section, decoded; see ``ActiveConfig/decode(_:)``.
    public func decode<Section: SettingsSection>(_ type: Section.Type) -> Section {
        observed.track(.section(type.sectionName))
        return activeConfig.decode(type, in: observed.snapshot)
    }

    /// The user whose configuration this is; nil is the generic user.
    public var userID: String? {
        observed.track(.user)
        return observed.snapshot.userID.string
    }

    /// The last time that the server was asked; see ``ActiveConfig/lastDownload``.
    public var lastDownload: DownloadRecord? {
        observed.track(.lastDownload)
        return observed.downloads.last
    }

    /// Whether the active document is the server's newest, as of the last download, change or mark:
    /// that an interval ends notifies nobody.
    public var freshness: ConfigurationFreshness {
        observed.track(.freshness)
        return observed.downloads.freshness
    }

    /// Until when downloads do not ask the server, as of the last one; it may have passed.
    public var throttledUntil: Date? {
        observed.track(.throttle)
        return observed.downloads.throttledUntil
    }

    /// The changes that `activate()` would make, sorted by section.
    public var pendingChanges: [SectionChange] {
        observed.track(.pending)
        return observed.snapshot.pending?.changes(since: observed.snapshot.sections) ?? []
    }

    /// Takes over what is active now, instead of at the main actor's next turn, and notifies those who
    /// have read what differs: for tests.
    public func refresh() { observed.update() }

    /// The reason of the last update.
    ///
    /// Reading it is not observed.
    public var reason: SectionChange.Reason { observed.snapshot.reason }
}
