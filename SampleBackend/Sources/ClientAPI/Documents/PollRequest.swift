import Foundation
package import HTTPServing
import NIOCore
import Rendering

/// The preference of a request to wait until its document changes (HTTP 2, long polling).
package protocol DocumentWaiting: Sendable {
    /// An answer that waits.
    ///
    /// - Throws: A ``RequestError`` when too many wait.
    func answer(_ poll: PollRequest, from address: ClientAddress?) throws(RequestError) -> Answer
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
