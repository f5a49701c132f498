import Foundation
import TemplateStore
import Templates

// Change requests; the templates of a request are part of it.
extension InMemoryStoreContents {
    /// Creates or replaces an open request if the stored one is as expected.
    mutating func saveChangeRequest(
        _ submission: ChangeRequestSubmission
    ) throws(TemplateStoreError) -> StoredChangeRequest {
        let project = submission.project
        guard projects[project] != nil else { throw .projectMissing(project) }
        try checkIsNotArchived(project)
        let date = submission.date
        var entries = (changeRequests[project] ?? []).compactMap { $0.pruned(at: date) }
        let deleted = deletedVersions[project]
        let place = entries.firstIndex { $0.stored.id.utf8.elementsEqual(submission.id.utf8) }
        let known = place.map { entries[$0].stored }
        var stored = try submission.stored(
            over: known,
            openCount: entries.count {
                $0.stored.seen(at: date, deletedVersion: deleted).state == .open
            }, deletedVersion: deleted)
        stored.contents = stored.contents ?? known?.contents
        if let place {
            entries[place] = ChangeRequestEntry(stored)
        } else {
            entries.append(ChangeRequestEntry(stored))
        }
        changeRequests[project] = entries
        record(
            .changeRequest(project: project, id: submission.id),
            AuditEntry(of: submission, revision: nextRevision))
        stored.contents = nil
        return stored
    }

    /// What decides whether a template may be published.
    func gate(for submission: TemplateSubmission) -> PublishGate {
        let project = projects[submission.project]
        return PublishGate(
            submission: submission, protection: project?.details?.details.protection,
            request: submission.approval.changeRequest.flatMap {
                changeRequest(id: $0.id, inProject: submission.project, date: submission.date)
            }, tokens: tokens,
            sourceContent: project?.versions.first {
                $0.version.number == submission.sourceVersion
            }?.content)
    }

    /// Replaces a stored request.
    mutating func replace(_ request: StoredChangeRequest) {
        changeRequests[request.project, default: []] = (changeRequests[request.project] ?? []).map {
            $0.stored.id.utf8.elementsEqual(request.id.utf8) ? ChangeRequestEntry(request) : $0
        }
    }

    /// A request with its templates; nil when there is none with this identifier.
    func changeRequest(id: String, inProject project: String, date: Date) -> StoredChangeRequest? {
        (changeRequests[project] ?? []).first { $0.stored.id.utf8.elementsEqual(id.utf8) }?.stored
            .seen(at: date, deletedVersion: deletedVersions[project])
    }

    /// The requests of a project without their templates, the last changed one first.
    func changeRequests(inProject project: String, date: Date) -> [StoredChangeRequest] {
        (changeRequests[project] ?? []).map { entry in
            var stored = entry.stored.seen(at: date, deletedVersion: deletedVersions[project])
            stored.contents = nil
            return stored
        }.sorted { $0.updateTime > $1.updateTime }
    }
}
