import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

extension Administration {
    struct UndoRequest {
        let project: String
        /// The version whose changes are taken back.
        let version: Int
        /// Nil replaces any current version.
        let ifMatch: String?
        let user: TemplateVersion.User
        let description: String?
        let origin: TemplateVersion.Origin
        /// The grounds for a publish in a protected project.
        var approval = PublishApproval.none
    }

    /// Maximum number of attempts to undo in any current version while others publish.
    private static let undoAttempts = 16

    /// Publishes the current version without the changes of an earlier one; clients receive it
    /// immediately.
    ///
    /// - Returns: The stored template, and warnings about the open change requests that it concerns.
    /// - Throws: A ``RequestError`` as ``checkedUndo(_:)`` and ``publish(_:)`` would.
    func undo(_ request: UndoRequest) async throws -> (StoredTemplate, warnings: [String]) {
        let replacesAny = [nil, "*"].contains(request.ifMatch)
        for _ in 1..<(replacesAny ? Self.undoAttempts : 1) {
            do {
                return try await undoOnce(request)
            } catch let error as RequestError where error.httpStatus == .preconditionFailed {
                // Another publish came between the reads and the publish.
            }
        }
        return try await undoOnce(request)
    }

    private func undoOnce(
        _ request: UndoRequest
    ) async throws -> (StoredTemplate, warnings: [String]) {
        var checked = try await checkedUndo(request)
        let warnings = await warningsAboutRequests(
            publishing: checked.validated.template, inProject: request.project)
        // Comparing the open requests took time.
        checked.submission.date = now()
        return (try await publish(checked), warnings)
    }

    /// The current version without the changes of an earlier one, ready to publish.
    ///
    /// It is the merge of two changes of the version to undo: back to its predecessor, and on to the
    /// current version.
    ///
    /// - Throws: A ``RequestError`` with status 404 when the version or its predecessor is no longer
    ///   stored, 409 when later versions changed the same or nothing is left to take back, and 412
    ///   when `ifMatch` is not the tag of the current version.
    func checkedUndo(_ request: UndoRequest) async throws -> CheckedTemplate {
        let current = try await template(inProject: request.project)
        try check(request, against: current)
        let undone = try await template(version: request.version, inProject: request.project)
        guard undone.version.isPublished else {
            throw RequestError.notFound(
                "\"\(request.project)\" was created with version \(request.version), which changed "
                    + "nothing: list the versions.")
        }
        let before = try await content(before: undone)
        let (validated, content) = try await content(of: current, from: undone, backTo: before)
        guard content != current.content else { throw RequestError.nothingToUndo(request.version) }
        return CheckedTemplate(
            validated: validated,
            submission: TemplateSubmission(
                project: request.project, content: content,
                expectation: .version(current.version.number), date: now(), user: request.user,
                description: request.description, origin: request.origin, updateType: .undo,
                sourceVersion: request.version, approval: request.approval))
    }

    /// - Throws: A ``RequestError`` with status 412 when another version is expected.
    private func check(
        _ request: UndoRequest, against current: StoredTemplate
    ) throws(RequestError) {
        guard let ifMatch = request.ifMatch,
            case .version(let expected) = try expectation(
                ifMatch: ifMatch, project: request.project),
            expected != current.version.number
        else { return }
        throw RequestError(
            TemplateStoreError(
                .versionMismatch, "", currentVersion: current.version.number),
            project: request.project)
    }

    /// The current content without the changes that the version `undone` made to the content
    /// `before` it.
    private func content(
        of current: StoredTemplate, from undone: StoredTemplate, backTo before: Data
    ) async throws -> (ValidatedTemplate, Data) {
        let mine = try ValidatedTemplate(jsonData: before, limits: .none)
        // Byte for byte, so that the undo of an undo restores the content exactly.
        if undone.content == current.content { return (mine, before) }
        let base = try undone.validated().template
        let theirs = try current.validated().template
        let merge = TemplateMerge(base: base, mine: mine.template, theirs: theirs)
        let moves = merge.moveConflicts
        let conflicts = merge.conflicts + moves
        guard conflicts.isEmpty else {
            let authors = try await authors(
                of: conflicts, from: base, since: undone.version.number, to: current)
            throw RequestError.undoConflicts(
                conflicts, authors: authors, version: undone.version.number,
                advice: moves.isEmpty ? .merge : .edit)
        }
        let merged = merge.merged.json()
        guard merged.jsonData() != theirs.json().jsonData() else {
            throw RequestError.nothingToUndo(undone.version.number)
        }
        do {
            return (try ValidatedTemplate(merged: merged), merged.jsonData())
        } catch {
            throw RequestError.invalidTemplate(error)
        }
    }

    /// The content that a version replaced; empty before the first one.
    ///
    /// - Throws: A ``RequestError`` with status 404 when it is no longer stored.
    func content(before undone: StoredTemplate) async throws(RequestError) -> Data {
        let (project, number) = (undone.project, undone.version.number)
        let query = VersionQuery(limit: 2, endVersion: number)
        if let before = try await versions(inProject: project, matching: query).versions
            .dropFirst().first
        {
            return try await template(version: before.number, inProject: project).content
        }
        let all = try await versions(inProject: project, matching: VersionQuery())
        guard number == 1 || all.versions.count < TemplateStoreLimits.keptVersions else {
            throw .notFound(
                "The version before \(number) is no longer kept, so what \(number) changed is not "
                    + "known: undo a later version, or edit the template.")
        }
        return RemoteConfigTemplate().json().jsonData()
    }
}

/// How to go on after an undo that conflicts.
private enum UndoAdvice {
    /// `remoteConfig:merge` has the same conflicts.
    case merge

    /// It has not, since a setting was moved.
    case edit

    func sentence(version: Int) -> String {
        switch self {
        case .merge:
            "Merge the version before it, as an edit of version \(version), with "
                + "remoteConfig:merge, and choose a side for each."
        case .edit:
            "A setting that version \(version) added, moved or renamed has been moved or removed "
                + "since, so edit the template instead."
        }
    }
}

extension RequestError {
    /// 409: the current version has none of the changes any more.
    fileprivate static func nothingToUndo(_ version: Int) -> RequestError {
        RequestError(
            httpStatus: .conflict, statusName: "NOTHING_TO_UNDO",
            message:
                "Nothing is left of the changes of version \(version): the template would stay "
                + "as it is.")
    }

    /// 409: later versions changed the same parts; `details` lists them like the response of
    /// `remoteConfig:merge`.
    fileprivate static func undoConflicts(
        _ conflicts: [TemplateMerge.Conflict], authors: NamedValues<TemplateVersion>, version: Int,
        advice: UndoAdvice
    ) -> RequestError {
        let shown = conflicts.prefix(3).map { conflict in
            let author = authors[conflict.path].map { author in
                let name = author.updateUser.name.map { " by \($0.shortened)" } ?? ""
                return " (version \(author.number)\(name))"
            }
            return conflict.path.shortened + (author ?? "")
        }
        let more = conflicts.count > 3 ? " and \(conflicts.count - 3) more" : ""
        var error = RequestError(
            httpStatus: .conflict, statusName: "MERGE_CONFLICT",
            message: "Later versions changed what version \(version) changed: "
                + "\(shown.joined(separator: ", "))\(more). \(advice.sentence(version: version))")
        error.details = conflicts.map { conflict in
            var node = conflict.json
            node.setMember("changedBy", authors[conflict.path]?.json)
            return node
        }
        return error
    }
}
