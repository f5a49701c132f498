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
        let stored = changeRequests[project] ?? []
        let known = stored.first { $0.id.utf8.elementsEqual(submission.id.utf8) }
        let table = ChangeRequestTable(
            stored.map(\.header), at: submission.date, deletedVersion: deletedVersions[project])
        let change = try table.change(by: submission, over: known)
        remove(change.removed)
        var saved = change.stored
        saved.contents = saved.contents ?? known?.contents
        if known == nil {
            changeRequests[project, default: []].append(saved)
        } else {
            replace(saved)
        }
        record(
            .changeRequest(project: project, id: submission.id),
            AuditEntry(of: submission, revision: nextRevision))
        webhooks.enqueue(
            change.events, inProject: project, date: submission.date.roundedToMilliseconds)
        saved.contents = nil
        return saved
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
        changeRequests[request.project] = (changeRequests[request.project] ?? []).map {
            $0.id.utf8.elementsEqual(request.id.utf8) ? request : $0
        }
    }

    private mutating func remove(_ removed: [ChangeRequestHeader]) {
        for header in removed {
            changeRequests[header.project]?.removeAll { $0.id.utf8.elementsEqual(header.id.utf8) }
        }
    }

    /// A request with its templates; nil when there is none with this identifier.
    func changeRequest(id: String, inProject project: String, date: Date) -> StoredChangeRequest? {
        (changeRequests[project] ?? []).first { $0.id.utf8.elementsEqual(id.utf8) }?
            .seen(at: date, deletedVersion: deletedVersions[project])
    }

    /// The headers of a project's requests, the last changed one first.
    func changeRequestHeaders(inProject project: String, date: Date) -> [ChangeRequestHeader] {
        (changeRequests[project] ?? []).map {
            $0.header.seen(at: date, deletedVersion: deletedVersions[project])
        }.sorted(by: ChangeRequestHeader.isListedBefore)
    }

    /// The headers of the requests of all projects whose schedules wait for a time.
    func scheduledChangeRequests(date: Date) -> [ChangeRequestHeader] {
        changeRequests.all.flatMap { $0.1 }.map {
            $0.header.seen(at: date, deletedVersion: deletedVersions[$0.project])
        }.filter { $0.dueDate != nil }.sorted(by: ChangeRequestHeader.isDueBefore)
    }

    /// Marks, expires and removes the requests of all projects that nobody changed for long.
    mutating func removeExpiredChangeRequests(at date: Date) {
        let all = changeRequests.all.flatMap { $0.1 }
        let aging = ChangeRequestTable.aging(of: all.map(\.header), at: date) {
            deletedVersions[$0]
        }
        remove(aging.removed)
        for header in aging.marked + aging.expired {
            guard
                var aged = changeRequests[header.project]?.first(where: {
                    $0.id.utf8.elementsEqual(header.id.utf8)
                })
            else { continue }
            let isEnd = aged.state != header.state
            aged.header = header
            replace(aged)
            guard isEnd else { continue }
            record(
                .changeRequest(project: header.project, id: header.id),
                AuditEntry(ofExpired: aged, date: date, revision: nextRevision))
            webhooks.enqueue(
                [.changeRequest(step: ChangeRequestStep(expiryOf: aged))],
                inProject: header.project, date: date.roundedToMilliseconds)
        }
    }
}
