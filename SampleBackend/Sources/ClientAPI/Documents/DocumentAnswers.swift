import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import Logging
import Rendering

/// Builds the responses to requests for documents, with tag, signature and the request for
/// acknowledgements.
struct DocumentAnswers: Sendable {
    let source: any DocumentSource

    /// Signs documents; nil leaves them unsigned.
    let signer: DocumentSigner?

    let logger: Logger

    /// Follows the project in signed statements, so that a document of another kind does not pass for
    /// a user's; it contains a character that names of projects do not have.
    private let signedSuffix: String

    /// True for a client that does not adopt the version of a 304 and may verify the signature with
    /// its stored body; tags then cover all bytes.
    private(set) var isExact = false

    /// The fields of every document except its tag and signature.
    private let documentFields: FieldLines

    /// ``documentFields`` without the fields that describe a body.
    private let notModifiedFields: FieldLines

    /// A nil `acknowledgedShare` asks no client to acknowledge versions.
    init(
        source: any DocumentSource, signer: DocumentSigner?, acknowledgedShare: AcknowledgedShare?,
        signedSuffix: String = "", logger: Logger
    ) {
        self.source = source
        self.signer = signer
        self.signedSuffix = signedSuffix
        self.logger = logger
        var fields: HTTPFields = [.cacheControl: "private, no-cache"]
        acknowledgedShare?.addField(to: &fields)
        notModifiedFields = FieldLines(fields)
        fields[.contentType] = "application/json"
        documentFields = FieldLines(fields)
    }

    /// Answers with a user's document, or with 304 when the client has it.
    func answer(
        _ request: DocumentRequest, condition: EntityTagCondition?
    ) throws(RequestError) -> RouteResponse {
        if let condition {
            let identity = try identity(of: request)
            if condition.matches(identity.entityTag.opaqueTag) {
                return notModified(identity, for: request)
            }
        }
        let document = try ask(request) { source in
            try source.document(
                inProject: request.project, forUserID: request.userID, signals: request.signals)
        }
        return answer(document, to: request)
    }

    func answer(_ document: RenderedDocument, to request: DocumentRequest) -> RouteResponse {
        var response = response(.ok, identity(of: document), to: request, fields: documentFields)
        response.body = document.jsonBytes
        return response
    }

    /// 304 for a client that has the document or one with the same content.
    func notModified(
        _ identity: DocumentIdentity, for request: DocumentRequest
    ) -> RouteResponse {
        let known =
            isExact
            ? identity
            : DocumentIdentity(entityTag: identity.entityTag, version: identity.version)
        return response(.notModified, known, to: request, fields: notModifiedFields)
    }

    func identity(of document: RenderedDocument) -> DocumentIdentity {
        isExact ? document.exactIdentity : document.identity
    }

    func identity(of request: DocumentRequest) throws(RequestError) -> DocumentIdentity {
        try ask(request) { source in
            let (project, userID) = (request.project, request.userID)
            guard isExact else {
                return try source.identity(
                    inProject: project, forUserID: userID, signals: request.signals)
            }
            return try source.document(
                inProject: project, forUserID: userID, signals: request.signals)?.exactIdentity
        }
    }

    /// Selects tags that cover all bytes if documents are signed and the client sends no
    /// `ActiveConfig-Template-Version`.
    func suiting(_ fields: RequestFields) -> DocumentAnswers {
        guard signer != nil, fields[named: Self.versionFieldName] == nil else { return self }
        var answers = self
        answers.isExact = true
        return answers
    }

    /// The lower-case name of the field with the version of a response, or with the version that a
    /// client has.
    static let versionFieldName = "activeconfig-template-version"

    private func response(
        _ status: HTTPResponse.Status, _ identity: DocumentIdentity, to request: DocumentRequest,
        fields: FieldLines
    ) -> RouteResponse {
        var response = RouteResponse(status: status)
        response.fieldLines = fields
        response.entityTag = (identity.entityTag.opaqueTag, identity.entityTag.isWeak)
        if identity.version > 0 {
            response.numberField = ("ActiveConfig-Template-Version", identity.version)
        }
        response.headerFields.setSnapshotDate(source.snapshotDate)
        if let signer, let name = HTTPField.Name(DocumentSigner.fieldName) {
            do {
                response.headerFields[name] = try signer.fieldValue(
                    for: identity, project: request.project + signedSuffix, userID: request.userID)
            } catch {
                // The document is sent unsigned: clients that verify keep their document, and
                // others are not affected.
                logger.error("A document could not be signed", metadata: ["error": "\(error)"])
            }
        }
        return response
    }

    /// Calls the source and maps its errors to responses.
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

extension HTTPFields {
    /// Sets `ActiveConfig-Unknown-Version` to the version that a client named, after the store was
    /// found to have never made it.
    mutating func setUnknownVersion(_ version: Int) {
        guard let name = HTTPField.Name("ActiveConfig-Unknown-Version") else { return }
        self[name] = "\(version)"
    }

    /// Sets `ActiveConfig-Snapshot` to the time of the snapshot from which the server answers; nil
    /// sets nothing.
    ///
    /// No standard field fits: `Age` is for caches, and `Warning` is obsolete (RFC 9111, 5.5).
    mutating func setSnapshotDate(_ date: Date?) {
        guard let date, let name = HTTPField.Name("ActiveConfig-Snapshot") else { return }
        self[name] = date.timestamp
    }
}
