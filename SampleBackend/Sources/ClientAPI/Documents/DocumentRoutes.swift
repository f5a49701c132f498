import Foundation
package import HTTPServing
import HTTPTypes
package import Logging
import Rendering
import Targeting

/// The routes of a user's configuration document (HTTP 1), and of long polls for it (HTTP 2).
package struct DocumentRoutes: Sendable {
    private let answers: DocumentAnswers
    private let clientAccess: ClientAccess

    /// Nil when requests never wait.
    private let waiting: (any DocumentWaiting)?

    /// Nil keeps no sample of signals.
    private let sample: SignalSample?

    package init(
        source: any DocumentSource, clientAccess: ClientAccess,
        waiting: (any DocumentWaiting)? = nil, signer: DocumentSigner? = nil,
        acknowledgedShare: AcknowledgedShare? = nil, sample: SignalSample? = nil, logger: Logger
    ) {
        answers = DocumentAnswers(
            source: source, signer: signer, acknowledgedShare: acknowledgedShare, logger: logger)
        self.clientAccess = clientAccess
        self.waiting = waiting
        self.sample = sample
    }

    package var routes: [Route] {
        DocumentRequest.patterns.map { pattern in
            Route(pattern, [.get: Endpoint(access: clientAccess, answering)])
        }
    }

    /// Documents are in memory, so answers are immediate; only verifying a user token is
    /// asynchronous.
    private var answering: Endpoint.Answering {
        guard clientAccess.needsKeyOnly else {
            return .asynchronous { request in
                let tokenEnd = try await clientAccess.checkUser(
                    request.headerFields, forUserID: try DocumentRequest.userID(request))
                return try answer(request, tokenEnd: tokenEnd)
            }
        }
        return .immediate { request throws(RequestError) in try answer(request, tokenEnd: nil) }
    }

    private func answer(
        _ request: RouteRequest, tokenEnd: Date?
    ) throws(RequestError) -> Answer {
        let wanted = try DocumentRequest(request)
        let condition = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init)
        guard let waiting, let condition, request.method == .get,
            let preference = request.headerFields[named: "prefer"].flatMap(WaitPreference.init)
        else {
            let response = try answers.answer(wanted, condition: condition)
            sample?.record(wanted)
            return .response(response)
        }
        let identity = try answers.identity(of: wanted)
        sample?.record(wanted)
        guard condition.matches(identity.entityTag.opaqueTag) else {
            return .response(try answers.answer(wanted, condition: nil))
        }
        let poll = PollRequest(
            document: wanted, condition: condition, preference: preference, identity: identity,
            tokenEnd: tokenEnd, answers: answers)
        return try waiting.answer(poll, from: request.address)
    }
}

extension SignalSample {
    /// Records the signals of a request that could be answered, so that unknown projects take no
    /// place in the sample.
    fileprivate func record(_ request: DocumentRequest) {
        record(inProject: request.project, userID: request.userID, signals: request.signals)
    }
}
