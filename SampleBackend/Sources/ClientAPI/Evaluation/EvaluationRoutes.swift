package import HTTPServing
import HTTPTypes
package import Logging
import TemplateStore

/// The route with which a service loads the template and the pinned values of a project, and waits for
/// their changes, to evaluate users itself.
///
/// It is a document of the client protocol, so services follow it as clients follow theirs.
package struct EvaluationRoutes: Sendable {
    /// Follows the project in the signed statements of these documents.
    package static let signedSuffix = "/evaluation"

    private let documents: DocumentRoutes

    /// Requests without a body, all of which can arrive after one change.
    private let pool = WorkPool(.evaluation, waiting: 1_024, wait: .seconds(30))

    /// Creates the routes; `isAllowed` is false for credentials that have expired or been revoked while
    /// a request waited.
    package init(
        hub: RealtimeHub, signer: DocumentSigner?, usage: UsageTally? = nil,
        isAllowed: @escaping @Sendable (_ caller: any RequestCaller, _ project: String) -> Bool,
        logger: Logger
    ) {
        let source = EvaluationSource(library: hub.library)
        documents = DocumentRoutes(
            answers: DocumentAnswers(
                source: source, signer: signer,
                acknowledgedShare: nil, signedSuffix: Self.signedSuffix, logger: logger),
            clientAccess: .open,
            waiting: EvaluationPolls(hub: hub, source: source) { poll in
                poll.caller.map { isAllowed($0, poll.document.project) } ?? true
            },
            sample: nil, usage: usage, receiver: .service)
    }

    /// The route, for callers whom `access` allows.
    package func route(access: any EndpointAccess) -> Route {
        Route(
            "/v1/projects/{project}/evaluation/activeconfig",
            [.get: documents.endpoint(access: access, pool: pool)])
    }
}

extension WorkThreads {
    /// The thread that writes the documents of templates, which takes seconds for a large one: neither
    /// administrators nor streams wait for it.
    ///
    /// There is one, so that requests that arrive while a document is written find it.
    static let evaluation = WorkThreads(count: 1)
}
