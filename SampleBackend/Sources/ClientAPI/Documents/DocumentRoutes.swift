import Foundation
package import HTTPServing
import HTTPTypes
package import Logging
import Rendering
import Targeting
import TemplateStore

/// The routes of a user's configuration document (PROTOCOL 1), including long polls (PROTOCOL 2).
package struct DocumentRoutes: Sendable {
    private let answers: DocumentAnswers
    private let clientAccess: ClientAccess

    /// Nil when requests never wait.
    private let waiting: (any DocumentWaiting)?

    /// Nil when sampling is disabled.
    private let sample: SignalSample?

    /// Nil when use is not recorded.
    private let usage: UsageTally?

    /// The receiver of the documents; nil for apps, whose signals name them.
    private let receiver: UsedApp?

    package init(
        source: any DocumentSource, clientAccess: ClientAccess,
        waiting: (any DocumentWaiting)? = nil, signer: DocumentSigner? = nil,
        acknowledgedShare: AcknowledgedShare? = nil, sample: SignalSample? = nil,
        usage: UsageTally? = nil, logger: Logger
    ) {
        self.init(
            answers: DocumentAnswers(
                source: source, signer: signer, acknowledgedShare: acknowledgedShare,
                logger: logger),
            clientAccess: clientAccess, waiting: waiting, sample: sample, usage: usage,
            receiver: nil)
    }

    init(
        answers: DocumentAnswers, clientAccess: ClientAccess, waiting: (any DocumentWaiting)?,
        sample: SignalSample?, usage: UsageTally?, receiver: UsedApp?
    ) {
        self.answers = answers
        self.clientAccess = clientAccess
        self.waiting = waiting
        self.sample = sample
        self.usage = usage
        self.receiver = receiver
    }

    package var routes: [Route] {
        DocumentRequest.patterns.map { pattern in
            Route(pattern, [.get: Endpoint(access: clientAccess, answering)])
        }
    }

    /// An endpoint for documents at another path, whose access needs no user token.
    func endpoint(access: any EndpointAccess, pool: WorkPool) -> Endpoint {
        Endpoint(access: access, pool: pool, .asynchronous { try answer($0, tokenEnd: nil) })
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
        do throws(RequestError) {
            return try knownAnswer(request, tokenEnd: tokenEnd)
        } catch {
            guard
                let catchUp = waiting?.catchUp(
                    beforeRefusing: error, project: request.project)
            else { throw error }
            return .repeated(after: catchUp, error)
        }
    }

    /// The answer from the projects that the server knows.
    private func knownAnswer(
        _ request: RouteRequest, tokenEnd: Date?
    ) throws(RequestError) -> Answer {
        guard let waiting, let seenVersion = SeenVersion(ofDocument: request.headerFields),
            waiting.isBehind(seenVersion, inProject: request.project)
        else { return try currentAnswer(request, tokenEnd: tokenEnd) }
        return try waiting.answer(
            after: seenVersion, inProject: request.project, from: request.address, on: nil
        ) { isUnknown throws(RequestError) in
            // A publish can have arrived since.
            guard isUnknown, case .number(let version) = seenVersion,
                waiting.isBehind(seenVersion, inProject: request.project)
            else { return try currentAnswer(request, tokenEnd: tokenEnd) }
            return try answer(request, toUnknown: version)
        }
    }

    /// The whole document for a client that names a version which the store never made: the client
    /// takes it instead of that version (PROTOCOL 1).
    private func answer(
        _ request: RouteRequest, toUnknown version: Int
    ) throws(RequestError) -> Answer {
        let wanted = try DocumentRequest(request)
        var response = try answers.answer(wanted, condition: nil)
        response.headerFields.setUnknownVersion(version)
        record(wanted, version: response.numberField?.value)
        return .response(response)
    }

    /// The answer from the version that the server has.
    private func currentAnswer(
        _ request: RouteRequest, tokenEnd: Date?
    ) throws(RequestError) -> Answer {
        let answers = answers.suiting(request.headerFields)
        let condition = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init)
        guard let condition else {
            let wanted = try DocumentRequest(request)
            let response = try answers.answer(wanted, condition: nil)
            record(wanted, version: response.numberField?.value)
            return .response(response)
        }
        let preference = request.headerFields[named: "prefer"].flatMap(WaitPreference.init)
        let known = try knownDocument(of: request, answers)
        guard condition.matches(known.identity.entityTag.opaqueTag) else {
            let response = try answers.answer(known.request, condition: nil)
            record(known.request, version: response.numberField?.value)
            return .response(response)
        }
        record(known.request, version: known.identity.version)
        guard let waiting, let preference, request.method == .get else {
            if known.isWorthCarrying { request.carried?.value = known }
            return .response(answers.notModified(known.identity, for: known.request))
        }
        let poll = PollRequest(
            document: known.request, condition: condition, preference: preference,
            identity: known.identity, tokenEnd: tokenEnd, answers: answers, caller: request.caller)
        return try waiting.answer(poll, from: request.address)
    }

    /// Records an answered request; call it only then, so unknown projects take no room.
    private func record(_ request: DocumentRequest, version: Int?) {
        sample?.record(
            inProject: request.project, userID: request.userID, signals: request.signals)
        usage?.recordDelivery(
            to: receiver ?? UsedApp(request.signals), inProject: request.project,
            version: version ?? 0)
    }

    /// The identity of the requested document, reused from the previous request of the connection
    /// when nothing has changed since.
    private func knownDocument(
        of request: RouteRequest, _ answers: DocumentAnswers
    ) throws(RequestError) -> KnownDocument {
        if !answers.isExact, let known = request.carried?.value as? KnownDocument,
            known.target == request.target.text, let stamp = known.stamp,
            answers.source.isCurrent(stamp, ofProject: known.request.project)
        {
            return known
        }
        let wanted = try DocumentRequest(request)
        // Read first, so any later change makes the identity stale.
        let stamp = answers.isExact ? nil : answers.source.stamp(ofProject: wanted.project)
        return KnownDocument(
            target: request.target.text, request: wanted,
            identity: try answers.identity(of: wanted), stamp: stamp)
    }
}

/// The identity of a requested document, kept for the next request of the connection, since clients
/// poll with the same target.
private struct KnownDocument: Sendable {
    let target: String
    let request: DocumentRequest
    let identity: DocumentIdentity

    /// The source's stamp, read before the identity; nil when the identity may change at any time
    /// or covers all bytes.
    let stamp: DocumentStamp?

    /// Maximum bytes of a target that an idle connection keeps with the parsed request.
    private static let maximumTargetBytes = 1_024

    var isWorthCarrying: Bool { stamp != nil && target.utf8.count <= Self.maximumTargetBytes }
}
