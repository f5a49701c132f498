import Foundation
package import HTTPServing
import HTTPTypes
import NIOCore
import Rendering

/// Makes requests wait: until their document changes (PROTOCOL 2, long polling), for a version that
/// the client has seen at another replica, or for a project that may be new (PROTOCOL 1).
package protocol DocumentWaiting: Sendable {
    /// Returns an answer that waits until the document changes.
    ///
    /// - Throws: A ``RequestError`` when too many requests wait.
    func answer(_ poll: PollRequest, from address: ClientAddress?) throws(RequestError) -> Answer

    /// Returns true when this server's version of the project is older than the one that the client
    /// has seen.
    func isBehind(_ seenVersion: SeenVersion, inProject project: String) -> Bool

    /// Returns a function that waits until the server has applied all changes of its store, for a
    /// request whose project may be new; nil when the request is refused for another reason.
    func catchUp(
        beforeRefusing error: RequestError, project: String
    ) -> (@Sendable () async throws(RequestError) -> Void)?

    /// Returns an answer that waits until the server is no longer behind the client.
    ///
    /// - Parameters:
    ///   - seenVersion: The version that the client has seen.
    ///   - project: The project, which must exist.
    ///   - address: The client's address; the request counts as a long poll.
    ///   - threads: The threads that run the handler; nil means Swift's cooperative threads.
    ///   - handler: Answers the request; true means that the store never made the version.
    /// - Returns: An answer that waits.
    /// - Throws: A ``RequestError`` when too many requests wait.
    func answer(
        after seenVersion: SeenVersion, inProject project: String, from address: ClientAddress?,
        on threads: WorkThreads?,
        _ handler: @escaping @Sendable (_ isUnknown: Bool) async throws(RequestError) -> Answer
    ) throws(RequestError) -> Answer
}

/// A request that may wait: the client's document and the duration.
package struct PollRequest: Sendable {
    let document: DocumentRequest
    let condition: EntityTagCondition
    let preference: WaitPreference

    /// The document that the client has.
    let identity: DocumentIdentity

    /// The time when the client's token expires; nil means never.
    let tokenEnd: Date?

    let answers: DocumentAnswers

    /// The authenticated caller; nil for an app.
    var caller: (any RequestCaller)?

    /// The time to wait, limited by the expiry of the token.
    var duration: TimeAmount {
        let seconds = Double(preference.seconds)
        let left = tokenEnd.map { min(max($0.timeIntervalSinceNow, 0), seconds) } ?? seconds
        return .nanoseconds(Int64(left * 1_000_000_000))
    }

    /// The answer to the request without waiting.
    var ordinaryAnswer: Result<RouteResponse, RequestError> {
        Result { () throws(RequestError) in
            try answers.answer(document, condition: condition)
        }
    }

    /// The response at the end of a wait, which names the preference that was applied.
    func response(
        _ result: Result<RouteResponse, RequestError>
    ) -> Result<RouteResponse, RequestError> {
        guard let name = HTTPField.Name("Preference-Applied") else { return result }
        return result.map { $0.setting(name, preference.applied) }
    }
}

extension Result<RouteResponse, RequestError> {
    /// The response when the server shuts down: a client whose document is current asks again after
    /// some seconds.
    func asking(againAfter seconds: Int) -> Self {
        map { $0.status == .notModified ? $0.setting(.retryAfter, "\(seconds)") : $0 }
    }
}

extension RouteResponse {
    fileprivate func setting(_ name: HTTPField.Name, _ value: String) -> RouteResponse {
        var response = self
        response.headerFields[name] = value
        return response
    }
}
