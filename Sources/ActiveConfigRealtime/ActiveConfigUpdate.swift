import ActiveConfig
public import Foundation

/// News of an ``ActiveConfigUpdater``: a new state of a user's connection, or a version that came.
public enum ActiveConfigUpdate: Sendable, Hashable {
    /// The state of a user's connection.
    case state(ActiveConfigUpdateState, userID: String?)
    /// A newer configuration of a user.
    case applied(AppliedUpdate)
}

/// The state of a user's connection.
///
/// States may be added: keep a `default` when you switch over it.
public enum ActiveConfigUpdateState: Sendable, Hashable {
    /// It connects, and fetches the configuration.
    case connecting
    /// The server tells of each change at once, since a time.
    case live(since: Date)
    /// The server is asked again and again.
    case polling(every: Duration)
    /// It connects again at a time; nil when that depends on the network.
    case waiting(until: Date?, reason: WaitReason)
    /// The app is in the background.
    case paused
    /// Nothing runs.
    case stopped

    /// Why it waits.
    public struct WaitReason: Sendable, Hashable, CustomStringConvertible {
        /// The text for people and logs.
        public let description: String

        /// There is no network.
        public static let offline = WaitReason(description: "There is no network.")
        /// The server ended the connection.
        public static let connectionEnded = WaitReason(
            description: "The server ended the connection.")
        /// The server said nothing for too long.
        public static let silence = WaitReason(
            description: "The server said nothing for too long.")
        /// The server asked for it.
        public static let askedByServer = WaitReason(
            description: "The server asked to come back later.")

        /// The server could not be reached, or gave no usable answer.
        public static func failure(_ error: any Error) -> WaitReason {
            WaitReason(description: "\(error)")
        }
    }
}

/// A newer configuration of a user.
public struct AppliedUpdate: Sendable, Hashable {
    /// The user; nil is the generic user.
    public let userID: String?
    /// The version of the backend's template; nil when the document names none.
    public let templateVersion: Int?
    /// The sections that changed of those active for the user, whoever is the current one; several
    /// updates that nobody has read are combined into one.
    ///
    /// Sections that wait for their activation are not among them; see
    /// `ActiveConfig.pendingChanges`.
    public let changedSectionNames: Set<String>

    /// Creates an update, as for a test.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - templateVersion: The version.
    ///   - changedSectionNames: The sections that changed.
    public init(userID: String?, templateVersion: Int?, changedSectionNames: Set<String>) {
        self.userID = userID
        self.templateVersion = templateVersion
        self.changedSectionNames = changedSectionNames
    }
}
