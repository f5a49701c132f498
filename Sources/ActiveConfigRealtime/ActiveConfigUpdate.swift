import ActiveConfig
public import Foundation

/// An event of an ``ActiveConfigUpdater``: a connection's new state, or a newly received version.
public enum ActiveConfigUpdate: Sendable, Hashable {
    /// The state of a user's connection.
    case state(ActiveConfigUpdateState, userID: String?)
    /// A newer configuration of a user has become active, as a whole or in some sections.
    case applied(AppliedUpdate)
    /// A newer configuration of a user waits for `activate()`, as a whole or in some sections.
    ///
    /// Comes with an `ActivationPolicy` that holds documents back:
    ///
    /// ```swift
    /// for await update in updater.updates {
    ///     if case .pending(let update) = update {
    ///         print("\(update.sectionNames.sorted()) wait")
    ///         await config.activate()
    ///     }
    /// }
    /// ```
    case pending(PendingUpdate)
}

extension ActiveConfigUpdate: CustomStringConvertible {
    /// One line that names the user as the log does.
    public var description: String {
        switch self {
        case .state(let state, let userID): "\(UserID(userID).logName) is \(state)"
        case .applied(let update): update.description
        case .pending(let update): update.description
        }
    }
}

extension AppliedUpdate: CustomStringConvertible {
    /// One line that names the user as the log does.
    public var description: String {
        "\(versionName(templateVersion)) of \(UserID(userID).logName) is active, "
            + (changedSectionNames.isEmpty
                ? "no section changed" : "changed sections: \(list(changedSectionNames))")
    }
}

extension PendingUpdate: CustomStringConvertible {
    /// One line that names the user as the log does.
    public var description: String {
        "\(versionName(templateVersion)) of \(UserID(userID).logName) waits for its activation, "
            + "sections: \(list(sectionNames))"
    }
}

private func versionName(_ version: Int?) -> String {
    version.map { "version \($0)" } ?? "a version"
}

private func list(_ names: Set<String>) -> String { names.sorted().joined(separator: ", ") }

extension ActiveConfigUpdateState: CustomStringConvertible {
    /// The state in a few words, with its time, interval or reason.
    public var description: String {
        switch self {
        case .connecting: "connecting"
        case .live(let since): "live since \(since)"
        case .polling(let interval): "polling every \(interval)"
        case .waiting(let until?, let reason): "waiting until \(until): \(reason)"
        case .waiting(nil, let reason): "waiting: \(reason)"
        case .paused: "paused"
        case .stopped: "stopped"
        }
    }
}

/// The state of a user's connection.
public enum ActiveConfigUpdateState: Sendable, Hashable {
    /// Connecting, and fetching the configuration.
    case connecting
    /// A stream has been open since the given time, on which the server pushes each change.
    case live(since: Date)
    /// Polling at the given interval.
    case polling(every: Duration)
    /// Reconnecting at the given time; nil when that depends on the network.
    case waiting(until: Date?, reason: WaitReason)
    /// The app is in the background.
    case paused
    /// Nothing runs.
    case stopped

    /// The reason of a wait.
    ///
    /// ```swift
    /// if case .waiting(_, let reason) = updater.state(ofUserID: config.currentUserID) {
    ///     if reason.code == .offline { print("You are offline.") }
    ///     if let error = reason.error as? DownloadError, error.status == 401 { signInAgain() }
    /// }
    /// ```
    public struct WaitReason: Sendable {
        /// The kind of reason.
        ///
        /// Codes may be added: keep a `default` when you switch over it.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            private enum Kind: String {
                case offline, connectionEnded, silence, askedByServer, failure
            }

            private let kind: Kind

            /// There is no network.
            public static let offline = Code(kind: .offline)
            /// The server ended the connection.
            public static let connectionEnded = Code(kind: .connectionEnded)
            /// The server sent nothing for too long.
            public static let silence = Code(kind: .silence)
            /// The server requested a later attempt.
            public static let askedByServer = Code(kind: .askedByServer)
            /// The server was unreachable or gave no usable answer; the reason contains the error.
            public static let failure = Code(kind: .failure)

            /// The code's name, such as `offline`.
            public var description: String { kind.rawValue }
        }

        /// The kind of reason.
        public let code: Code
        /// The error of the request or the connection, such as a `DownloadError` with the status of
        /// the answer; nil when nothing has failed.
        public let error: (any Error)?
        /// One sentence, for people and logs.
        public let description: String

        private init(_ code: Code, _ description: String, error: (any Error)? = nil) {
            self.code = code
            self.error = error
            self.description = description
        }

        /// There is no network.
        public static let offline = WaitReason(.offline, "There is no network.")
        /// The server ended the connection.
        public static let connectionEnded = WaitReason(
            .connectionEnded, "The server ended the connection.")
        /// The server sent nothing for too long.
        public static let silence = WaitReason(.silence, "The server sent nothing for too long.")
        /// The server requested a later attempt, without an error.
        public static let askedByServer = askedByServer(nil)

        /// The server requested a later attempt.
        ///
        /// - Parameter error: The error of the answer with the request, such as a 429 or a 503.
        /// - Returns: The reason.
        public static func askedByServer(_ error: (any Error)?) -> WaitReason {
            WaitReason(.askedByServer, "The server requested a later attempt.", error: error)
        }

        /// The server was unreachable or gave no usable answer.
        ///
        /// - Parameter error: The error.
        /// - Returns: The reason, with the error's description.
        public static func failure(_ error: any Error) -> WaitReason {
            WaitReason(.failure, "\(error)", error: error)
        }
    }
}

extension ActiveConfigUpdateState.WaitReason: Hashable, CustomStringConvertible {
    /// Returns a Boolean value that indicates whether code and description are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.description == right.description
    }

    /// Hashes code and description.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(description)
    }
}

/// A newer configuration of a user that waits for `activate()`.
public struct PendingUpdate: Sendable, Hashable {
    /// The user; nil is the generic user.
    public let userID: String?
    /// The version of the backend's template; nil when the document names none.
    public let templateVersion: Int?
    /// The sections that `activate()` would change; `ActiveConfig.pendingChanges` has their values.
    ///
    /// Of several unread updates only the newest is delivered.
    public let sectionNames: Set<String>

    /// Creates an update, for tests.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - templateVersion: The version.
    ///   - sectionNames: The pending sections.
    public init(userID: String?, templateVersion: Int?, sectionNames: Set<String>) {
        self.userID = userID
        self.templateVersion = templateVersion
        self.sectionNames = sectionNames
    }
}

/// A newer configuration of a user that has become active.
public struct AppliedUpdate: Sendable, Hashable {
    /// The user; nil is the generic user.
    public let userID: String?
    /// The version of the backend's template; nil when the document names none.
    public let templateVersion: Int?
    /// The changed sections among those active for the user, current or not; several unread updates
    /// are combined into one.
    ///
    /// Pending sections are not included; see ``PendingUpdate``.
    public let changedSectionNames: Set<String>

    /// Creates an update, for tests.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - templateVersion: The version.
    ///   - changedSectionNames: The changed sections.
    public init(userID: String?, templateVersion: Int?, changedSectionNames: Set<String>) {
        self.userID = userID
        self.templateVersion = templateVersion
        self.changedSectionNames = changedSectionNames
    }
}
