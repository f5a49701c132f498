import Foundation
import NIOCore
import Targeting

/// A request for a stream: a user's document in a project, and the format of its events.
struct StreamRequest: Sendable {
    /// The format of a stream's events.
    enum Format: Sendable, Hashable {
        /// PROTOCOL 2: the changed content.
        case activeConfig
        /// API 4: the fact that something changed, for OpenFeature providers.
        case openFeature
        /// PROTOCOL 2: nothing but the fact, for long polls.
        case poll
    }

    let document: DocumentRequest

    /// The value of `Last-Event-ID`: the last version whose events the client received.
    var lastEventID: String?

    /// The version in ``lastEventID``; 0 for a text that is none, nil without a text.
    var lastVersion: Int? { lastEventID.map { max(Int($0) ?? 0, 0) } }

    var format = Format.activeConfig

    /// True when the events have the user's ID, since others share the stream.
    var namesUser = false
}

/// How long a stream may last.
struct StreamLifetime: Sendable {
    /// The time when the client's token expires; nil means never.
    var tokenEnd: Date?

    /// The time when the stream has to end; nil means never.
    var end: NIODeadline?

    /// False once the credentials are revoked.
    var isAllowed: @Sendable () -> Bool = { true }
}

extension StreamRequest {
    /// The context for evaluating conditions now.
    var targetingContext: TargetingContext {
        TargetingContext(
            userID: document.userID, signals: document.signals, date: Date())
    }
}
