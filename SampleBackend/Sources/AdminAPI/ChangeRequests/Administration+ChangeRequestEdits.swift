import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import TemplateStore
import Templates

/// An edit that a change request publishes.
struct ChangeRequestEdit: Sendable {
    /// The version on which it is based; 0 when nothing was published.
    let baseVersion: Int
    let contents: ChangeRequestContents
}

extension Administration {
    /// The edit in a body; nil when it has none.
    ///
    /// An edit of a stored request keeps its base unless the body has one; a new one after another
    /// request is then based on the edit of that.
    func edit(
        in body: JSONNode, of request: RouteRequest, replacing stored: StoredChangeRequest? = nil,
        after predecessor: StoredChangeRequest? = nil
    ) async throws -> ChangeRequestEdit? {
        var template = body["template"]
        var version = try baseVersion(in: body, of: request)
        if try body.flag(named: "draft") {
            guard template == nil, version == nil else {
                throw RequestError.invalidArgument("Send either a template or the draft.")
            }
            guard
                let draft = try await self.draft(
                    at: .init(owner: request.tokenID, project: request.project))
            else {
                throw RequestError.notFound("You have no draft in this project: send a template.")
            }
            template = try JSONNode(jsonData: draft.content)
            version = draft.baseVersion
        }
        guard let template else {
            guard version == nil else {
                throw RequestError.invalidArgument(
                    "template is missing: a base is sent with the template that was edited.")
            }
            return nil
        }
        let edited: Data
        do {
            edited = try ValidatedTemplate(merged: template).json.jsonData()
        } catch {
            throw RequestError.invalidTemplate(error)
        }
        let base: Data
        switch (version, stored?.contents ?? predecessor?.contents?.following) {
        case (0?, _): base = Data("{}".utf8)
        case (let version?, _):
            base = try await self.template(version: version, inProject: request.project).content
        case (nil, let contents?): base = contents.base
        case (nil, nil):
            throw RequestError.invalidArgument(
                "base is missing: send the ETag of the template that was edited.")
        }
        guard base != edited else {
            throw RequestError.invalidArgument(
                "The template is the one of its base: a request must change something.")
        }
        let number = version ?? (stored ?? predecessor)?.request.baseVersion ?? 0
        return ChangeRequestEdit(
            baseVersion: number, contents: ChangeRequestContents(base: base, edited: edited))
    }

    /// The submission of a new request for the edit in a body.
    ///
    /// - Parameters:
    ///   - body: The body: `title`, `text`, and a template with its base or the draft.
    ///   - request: The call.
    ///   - predecessor: The request on whose edit a template without a base is based; nil for none.
    /// - Returns: The submission, with a new identifier.
    /// - Throws: A ``RequestError`` when something is missing or invalid.
    func newChangeRequest(
        in body: JSONNode, of request: RouteRequest, after predecessor: StoredChangeRequest? = nil
    ) async throws -> ChangeRequestSubmission {
        guard let title = try body.changeRequestTitle else {
            throw RequestError.invalidArgument("title is missing: say what the request changes.")
        }
        let edit = try await edit(in: body, of: request, after: predecessor)
        guard let edit else {
            throw RequestError.invalidArgument(
                "template is missing: send the edited template and the ETag of its base, or "
                    + "{\"draft\": true} for your draft.")
        }
        let date = now()
        let author = request.participant
        return ChangeRequestSubmission(
            project: request.project, id: Data.random(bytes: 6).hexadecimal,
            request: ChangeRequest(
                title: title, text: try body.changeRequestText, author: author,
                baseVersion: edit.baseVersion, creationDate: date),
            contents: edit.contents, expectation: .absent, action: .createChangeRequest,
            date: date, actor: author.actor)
    }

    /// The version whose tag is `base`; nil without one.
    private func baseVersion(
        in body: JSONNode, of request: RouteRequest
    ) throws(RequestError) -> Int? {
        guard let node = body["base"] else { return nil }
        guard let text = node.stringValue,
            let tag = TemplateTag(text, project: request.project)
        else {
            throw .invalidArgument(
                "base is not the ETag of a template of this project: send the one of the template "
                    + "that was edited.")
        }
        return tag.version
    }
}

extension ChangeRequestContents {
    /// The contents of an edit on top of this one, before anything is edited.
    fileprivate var following: ChangeRequestContents {
        ChangeRequestContents(base: edited, edited: edited)
    }
}
