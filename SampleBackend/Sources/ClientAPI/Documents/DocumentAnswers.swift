import HTTPServing
import HTTPTypes
import Logging
import Rendering

/// Makes the answers to requests for documents, with their tag, signature and wishes.
struct DocumentAnswers: Sendable {
    let source: any DocumentSource

    /// Signs documents; nil leaves them unsigned.
    let signer: DocumentSigner?

    /// Nil asks no client to acknowledge versions.
    let acknowledgedShare: AcknowledgedShare?

    let logger: Logger

    /// Answers with a user's document, or with 304 when the client has it.
    func answer(
        _ request: DocumentRequest, condition: EntityTagCondition?
    ) throws(RequestError) -> RouteResponse {
        if let condition {
            let identity = try identity(of: request)
            if condition.matches(identity.entityTag.opaqueTag) {
                return RouteResponse(
                    status: .notModified, headerFields: headerFields(identity, for: request))
            }
        }
        let document = try ask(request) { source in
            try source.document(
                inProject: request.project, forUserID: request.userID, signals: request.signals)
        }
        return answer(document, to: request)
    }

    func answer(_ document: RenderedDocument, to request: DocumentRequest) -> RouteResponse {
        .json(document.jsonBytes, headerFields: headerFields(document.identity, for: request))
    }

    func identity(of request: DocumentRequest) throws(RequestError) -> DocumentIdentity {
        try ask(request) { source in
            try source.identity(
                inProject: request.project, forUserID: request.userID, signals: request.signals)
        }
    }

    private func headerFields(
        _ identity: DocumentIdentity, for request: DocumentRequest
    ) -> HTTPFields {
        var fields: HTTPFields = [
            .eTag: identity.entityTag.description, .cacheControl: "private, no-cache",
        ]
        if let signer, let name = HTTPField.Name(DocumentSigner.fieldName) {
            do {
                fields[name] = try signer.fieldValue(
                    for: identity, project: request.project, userID: request.userID)
            } catch {
                // Clients that verify keep what they have; for the others nothing changes.
                logger.error("A document could not be signed", metadata: ["error": "\(error)"])
            }
        }
        acknowledgedShare?.addField(to: &fields)
        return fields
    }

    /// Calls the source, and maps its errors to the client's.
    private func ask<Value>(
        _ request: DocumentRequest, _ question: (any DocumentSource) throws -> Value?
    ) throws(RequestError) -> Value {
        let value: Value?
        do {
            value = try question(source)
        } catch let error as RequestError {
            throw error
        } catch {
            logger.error("The source of the documents failed", metadata: ["error": "\(error)"])
            throw .unavailable
        }
        guard let value else { throw .unknownProject(request.project) }
        return value
    }
}
