import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

extension Administration {
    /// The key of a draft: an administrator and a project.
    struct DraftPlace {
        let owner: String
        let project: String
    }

    /// Bytes reserved for the members of a draft's answer other than its template and its lists.
    static let draftFieldBytes = 4_096

    /// The stored draft; nil when there is none.
    func draft(at place: DraftPlace) async throws(RequestError) -> StoredDraft? {
        try await callStore("draft", project: place.project) { () throws(TemplateStoreError) in
            try await store.draft(ofOwner: place.owner, inProject: place.project, date: now())
        }
    }

    /// A stored draft with the template that it is compared with.
    func edited(_ stored: StoredDraft) async throws -> EditedDraft {
        EditedDraft(
            stored: stored, json: try Self.json(stored.content),
            base: try await base(stored.baseVersion, inProject: stored.project))
    }

    /// Creates or replaces a draft, even if its template is invalid: an edit that cannot be
    /// published yet must not be lost.
    ///
    /// - Throws: A ``RequestError`` with status 412 when the stored draft is not the expected one,
    ///   413 when the template is too large, and 400 when the version was never published.
    func saveDraft(
        _ json: JSONNode, baseVersion: Int, at place: DraftPlace,
        expecting expectation: StateExpectation
    ) async throws -> EditedDraft {
        try ProjectName.check(place.project)
        let content = json.jsonData()
        let limit = min(
            ValidatedTemplate.maximumBytes, maximumAnswerBytes - Self.draftFieldBytes)
        guard content.count <= limit else { throw RequestError.draftTooLarge(limit: limit) }
        let base = try await base(baseVersion, inProject: place.project)
        if base == nil { try await checkWasPublished(baseVersion, inProject: place.project) }
        let submission = DraftSubmission(
            owner: place.owner, project: place.project, baseVersion: baseVersion,
            content: content, expectation: expectation, date: now())
        let stored = try await callStore("save_draft", project: place.project) {
            () throws(TemplateStoreError) in
            try await store.saveDraft(submission)
        }
        return EditedDraft(stored: stored, json: json, base: base)
    }

    /// The draft that a patch changes or creates.
    ///
    /// - Parameters:
    ///   - place: The administrator and the project.
    ///   - expectation: `absent` creates a draft.
    ///   - baseVersion: The version that a new draft is based on; nil means the current one.
    /// - Returns: The template, its base version, and the tag of the stored draft if there is one.
    /// - Throws: A ``RequestError`` with status 412 when the stored draft is not the expected one.
    func draftToPatch(
        at place: DraftPlace, expecting expectation: StateExpectation, baseVersion: Int?
    ) async throws -> (json: JSONNode, baseVersion: Int, tag: String?) {
        let stored = try await draft(at: place)
        do {
            try expectation.checkDraft(stored?.tag, inProject: place.project)
        } catch {
            throw RequestError(error, project: place.project)
        }
        if let stored {
            return (try Self.json(stored.content), stored.baseVersion, stored.tag)
        }
        if baseVersion == 0 { return (.emptyObject, 0, nil) }
        if let baseVersion {
            let template = try await template(version: baseVersion, inProject: place.project)
            return (try Self.json(template.content), baseVersion, nil)
        }
        let current = try await callStore("template") { () throws(TemplateStoreError) in
            try await store.template(version: nil, inProject: place.project)
        }
        return (
            try current.map { try Self.json($0.content) } ?? .emptyObject,
            current?.version.number ?? 0, nil
        )
    }

    /// Removes a draft; false when there is none.
    func removeDraft(
        at place: DraftPlace, expecting expectation: StateExpectation
    ) async throws(RequestError) -> Bool {
        try await callStore("remove_draft", project: place.project) {
            () throws(TemplateStoreError) in
            try await store.removeDraft(
                ofOwner: place.owner, inProject: place.project, expecting: expectation,
                date: now())
        }
    }

    /// The template of a version; nil when it is no longer stored.
    private func base(
        _ version: Int, inProject project: String
    ) async throws -> RemoteConfigTemplate? {
        if version == 0 { return RemoteConfigTemplate() }
        let content = try await callStore("template", project: project) {
            () throws(TemplateStoreError) in
            try await store.template(version: version, inProject: project)?.content
        }
        return try content.map { TemplateDraft(json: try Self.json($0), limits: .none).template }
    }

    /// - Throws: A ``RequestError`` with status 400 when the version was never published.
    private func checkWasPublished(
        _ version: Int, inProject project: String
    ) async throws(RequestError) {
        let current = try await callStore("template") { () throws(TemplateStoreError) in
            try await store.template(version: nil, inProject: project)?.version.number ?? 0
        }
        guard version <= current else {
            throw .invalidArgument(
                "baseVersion is \(version), but the current version is \(current): send the number "
                    + "of the version on which the edit is based.")
        }
    }

    /// Only valid JSON is stored, so a failure is an internal error.
    private static func json(_ content: Data) throws -> JSONNode {
        try JSONNode(jsonData: content)
    }
}

extension RequestError {
    fileprivate static func draftTooLarge(limit: Int) -> RequestError {
        RequestError(
            httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
            message: "The template of the draft would be too large: store at most \(limit) bytes.")
    }
}
