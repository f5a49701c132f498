import Foundation
import HTTPServing
import NIOCore
import Targeting

/// A request for a stream: a user's document in a project, and the format of its events.
struct StreamRequest: Sendable {
    /// The format of a stream's events.
    enum Format: Sendable, Hashable {
        /// PROTOCOL 2: the changed content.
        case activeConfig
        /// API 4: notifies OpenFeature providers that something changed.
        case openFeature
        /// PROTOCOL 2: only the fact that something changed, for long polls.
        case poll
    }

    let document: DocumentRequest

    /// The value of `Last-Event-ID`: the last version whose events the client received.
    var lastEventID: String?

    /// The version in ``lastEventID``; 0 when that is not a version, nil when it is nil.
    var lastVersion: Int? { lastEventID.map { max(Int($0) ?? 0, 0) } }

    /// The entity tag of the client's document, from `If-None-Match`; nil when it is not sent.
    var documentTag: EntityTagCondition?

    var format = Format.activeConfig

    /// True when the events contain the user's ID, because several users share the stream.
    var namesUser = false
}

/// The limits on the lifetime of a stream.
struct StreamLifetime: Sendable {
    /// The time when the client's token expires; nil means never.
    var tokenEnd: Date?

    /// The time when the stream must end; nil means never.
    var end: NIODeadline?

    /// False once the credentials are revoked.
    var isAllowed: @Sendable () -> Bool = { true }
}

extension StreamRequest {
    /// The context for evaluating conditions at the current time.
    var targetingContext: TargetingContext {
        TargetingContext(
            userID: document.userID, signals: document.signals, date: Date())
    }
}
