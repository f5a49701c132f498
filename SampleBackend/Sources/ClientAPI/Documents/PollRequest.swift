import Foundation
package import HTTPServing
import NIOCore
import Rendering

/// Requests that wait: until their document changes (PROTOCOL 2, long polling), for a version that their
/// client has seen at another replica, or for a project that may be new (PROTOCOL 1).
package protocol DocumentWaiting: Sendable {
    /// An answer that waits.
    ///
    /// - Throws: A ``RequestError`` when too many wait.
    func answer(_ poll: PollRequest, from address: ClientAddress?) throws(RequestError) -> Answer

    /// True when the project has no version here that is as late as the one that a client has seen.
    func isBehind(_ seenVersion: SeenVersion, inProject project: String) -> Bool

    /// Waits until the server knows all that its store has, for a request whose project may be new; nil
    /// when an error refuses it for another reason.
    func catchUp(
        beforeRefusing error: RequestError, project: String
    ) -> (@Sendable () async throws(RequestError) -> Void)?

    /// Answers a request once the server is no longer behind its client.
    ///
    /// - Parameters:
    ///   - seenVersion: The version that the client has seen.
    ///   - project: The project, which exists.
    ///   - address: The client's address; the request counts as a long poll.
    ///   - threads: Run the handler; nil means Swift's cooperative threads.
    ///   - handler: Answers the request; the store may still have no such version.
    /// - Returns: An answer that waits.
    /// - Throws: A ``RequestError`` when too many wait.
    func answer(
        after seenVersion: SeenVersion, inProject project: String, from address: ClientAddress?,
        on threads: WorkThreads?,
        _ handler: @escaping @Sendable () async throws(RequestError) -> Answer
    ) throws(RequestError) -> Answer
}

/// A request that may wait: what the client has, and how long it waits.
package struct PollRequest: Sendable {
    let document: DocumentRequest
    let condition: EntityTagCondition
    let preference: WaitPreference

    /// The document that the client was found to have.
    let identity: DocumentIdentity

    /// The time when the client's token expires; nil means never.
    let tokenEnd: Date?

    let answers: DocumentAnswers

    /// How long to wait, which a token that expires shortens.
    var duration: TimeAmount {
        let seconds = Double(preference.seconds)
        let left = tokenEnd.map { min(max($0.timeIntervalSinceNow, 0), seconds) } ?? seconds
        return .nanoseconds(Int64(left * 1_000_000_000))
    }

    /// The answer to the request as if it did not wait.
    var ordinaryAnswer: Result<RouteResponse, RequestError> {
        Result { () throws(RequestError) in
            try answers.answer(document, condition: condition)
        }
    }
}
