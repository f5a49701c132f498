import ActiveConfig

/// Foreground, network and sleep events that pause or restart an ``ActiveConfigUpdater``.
///
/// ``automatic`` observes the system; a test sends its own events:
///
/// ```swift
/// let (events, continuation) = AsyncStream.makeStream(of: AppActivity.Event.self)
/// let activity = AppActivity { events }
/// continuation.yield(.inactive)
/// ```
public struct AppActivity: Sendable {
    /// A change of the app's or the device's activity.
    public enum Event: Sendable, Hashable, CaseIterable {
        /// The app came to the foreground.
        case active
        /// The app went to the background.
        case inactive
        /// The device has a network, or has changed networks.
        case networkReturned
        /// The device has no network.
        case networkLost
        /// The device was asleep.
        case woke
    }

    let events: @Sendable () -> AsyncStream<Event>

    /// Creates a source of events.
    ///
    /// - Parameter events: Returns the future events; called once for each run of an updater.
    public init(_ events: @escaping @Sendable () -> AsyncStream<Event>) { self.events = events }

    /// Always active and connected, as for a service.
    public static let always = AppActivity { AsyncStream { $0.finish() } }
}
