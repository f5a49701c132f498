package import Foundation

/// The change requests of a project, without texts and templates, and the rules for a further one.
///
/// Open requests are limited in number and size, and never removed for others. So are ended ones,
/// which go for others: first those that were not published, so that whoever makes and closes
/// requests removes no record of who approved a version.
package struct ChangeRequestTable: Sendable {
    private let headers: [ChangeRequestHeader]
    private let date: Date
    private let deletedVersion: Int?

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - headers: All requests of the project, as stored.
    ///   - date: The current time.
    ///   - deletedVersion: The last version of a deleted project of the same name.
    package init(_ headers: [ChangeRequestHeader], at date: Date, deletedVersion: Int?) {
        self.headers = headers
        self.date = date
        self.deletedVersion = deletedVersion
    }

    /// Maximum number of requests that one change removes, since a transaction has a limit, too.
    ///
    /// The largest and the oldest go first, so a few are enough.
    private static let mostRemoved = 8

    /// A request to store, and the ended ones that have to go for it.
    package struct Change: Sendable {
        /// The request with a new unique tag, with its templates if the submission has them.
        package let stored: StoredChangeRequest
        package let removed: [ChangeRequestHeader]
        /// What webhooks are told of it.
        package let events: [WebhookEvent]
    }

    /// Decides what a submission stores.
    ///
    /// - Parameters:
    ///   - submission: The submission.
    ///   - known: The stored request with its identifier; nil when there is none.
    /// - Returns: The change.
    /// - Throws: ``TemplateStoreError`` when the stored one is not as expected or not open, or when
    ///   there are too many.
    package func change(
        by submission: ChangeRequestSubmission, over known: StoredChangeRequest?
    ) throws(TemplateStoreError) -> Change {
        let known = known?.seen(at: date, deletedVersion: deletedVersion)
        guard submission.expectation.isMet(byTag: known?.tag),
            known != nil || submission.contents != nil
        else { throw .changeRequestMismatch(submission.id, isThere: known != nil) }
        let isEndedAnew = submission.endsAnew(known, deletedVersion: deletedVersion)
        if let known, known.state != .open, !isEndedAnew,
            !(submission.isOfEnd && known.dueDate != nil)
        {
            throw .changeRequestEnded(submission.id, known.state)
        }
        let stored = try submission.stored(over: known, deletedVersion: deletedVersion)
        let step = ChangeRequestStep(of: submission, over: known, storing: stored)
        return Change(
            stored: stored, removed: try makeRoom(for: stored, over: isEndedAnew ? nil : known),
            events: step.map { [.changeRequest(step: $0)] } ?? [])
    }

    /// The ended requests to remove for a request that is stored.
    ///
    /// - Throws: ``TemplateStoreError`` when the open ones become too many or too large.
    private func makeRoom(
        for stored: StoredChangeRequest, over known: StoredChangeRequest?
    ) throws(TemplateStoreError) -> [ChangeRequestHeader] {
        let others = headers.filter { !$0.id.utf8.elementsEqual(stored.id.utf8) }
        let open = others.map { $0.seen(at: date, deletedVersion: deletedVersion) }
            .filter { $0.state == .open || $0.dueDate != nil }
        if known == nil, open.count >= TemplateStoreLimits.openChangeRequests {
            throw .tooManyChangeRequests(inProject: stored.project)
        }
        let openBytes = open.reduce(stored.size) { $0 + $1.size }
        guard
            stored.contents == nil || openBytes <= TemplateStoreLimits.openChangeRequestsBytes
                || known.map({ stored.size <= $0.size }) ?? false
        else { throw .changeRequestsTooLarge(inProject: stored.project) }
        // Not those that have only expired: this machine's clock may be ahead.
        var ended = others.filter { other in
            other.deletedVersion != deletedVersion || other.state != .open && other.dueDate == nil
        }.sorted { $0.updateTime < $1.updateTime }
        var removed: [ChangeRequestHeader] = []
        func remove(_ place: Int) { removed.append(ended.remove(at: place)) }
        while removed.count < Self.mostRemoved,
            ended.count >= TemplateStoreLimits.endedChangeRequests
        {
            remove(ended.firstIndex { $0.state != .published } ?? 0)
        }
        var bytes = ended.reduce(0) { $0 + $1.size }
        while removed.count < Self.mostRemoved,
            bytes > TemplateStoreLimits.endedChangeRequestsBytes,
            let place = ended.indices.max(by: { goesLater(ended[$0], ended[$1]) })
        {
            bytes -= ended[place].size
            remove(place)
        }
        return removed
    }

    private func goesLater(_ first: ChangeRequestHeader, _ second: ChangeRequestHeader) -> Bool {
        let isPublished = (first.state == .published, second.state == .published)
        if isPublished.0 != isPublished.1 { return isPublished.0 }
        return first.size < second.size
    }

    /// What becomes of requests that nobody changes.
    package struct Aging: Sendable {
        /// Those whose mark changes, with their new marks.
        package fileprivate(set) var marked: [ChangeRequestHeader] = []
        /// Those whose expiry is to be recorded, as expired.
        package fileprivate(set) var expired: [ChangeRequestHeader] = []
        /// Those that are to be removed, as they are.
        package fileprivate(set) var removed: [ChangeRequestHeader] = []
    }

    /// What becomes of requests at a time.
    ///
    /// - Parameters:
    ///   - headers: Requests of any projects, as stored.
    ///   - date: The current time.
    ///   - deletedVersion: The last version of a deleted project.
    /// - Returns: The requests that change.
    package static func aging(
        of headers: [ChangeRequestHeader], at date: Date, deletedVersion: (String) -> Int?
    ) -> Aging {
        var aging = Aging()
        for header in headers {
            let aged = header.aged(at: date, deletedVersion: deletedVersion(header.project))
            guard let aged else {
                aging.removed.append(header)
                continue
            }
            if aged.state != header.state {
                aging.expired.append(aged)
            } else if aged != header {
                aging.marked.append(aged)
            }
        }
        return aging
    }
}

extension ChangeRequestSubmission {
    /// The request to store, with a new unique tag.
    fileprivate func stored(
        over known: StoredChangeRequest?, deletedVersion: Int?
    ) throws(TemplateStoreError) -> StoredChangeRequest {
        var request = request
        if action == .schedulePublish { request.schedule?.skipNotices(at: date) }
        request.contentDigest =
            contents.map { ChangeRequest.digest(of: $0) } ?? known?.request.contentDigest ?? ""
        let textBytes = request.record.count
        // Who fills a request with comments must not keep others from voting on it or closing it.
        let isVote = [.approveChangeRequest, .rejectChangeRequest].contains(action)
        let maximum = TemplateStoreLimits.changeRequestBytes * (isVote ? 2 : 1)
        let knownBytes = known?.request.record.count ?? 0
        let isNotice = action == .warnOfLackingApprovals
        guard
            isOfEnd || isNotice || action == .closeChangeRequest
                || textBytes <= max(maximum, knownBytes)
        else {
            throw .changeRequestTooLarge(id)
        }
        let contentBytes =
            contents.map { $0.base.count + $0.edited.count }
            ?? known.map { $0.size - $0.request.record.count } ?? 0
        return StoredChangeRequest(
            header: ChangeRequestHeader(
                of: request, project: project, id: id,
                // A warning is no change: schedules of one time keep their order.
                updateTime: isNotice ? known?.updateTime ?? date : date,
                deletedVersion: deletedVersion, size: contentBytes + textBytes),
            request: request, contents: contents)
    }

    /// True for another end of a publish that was not taken back at its end.
    fileprivate func endsAnew(_ known: StoredChangeRequest?, deletedVersion: Int?) -> Bool {
        guard let known, action == .schedulePublish, known.deletedVersion == deletedVersion,
            known.request.schedule?.hasFailedEnd == true
        else { return false }
        return request.schedule?.waitingPart == .end
            && request.schedule?.start == known.request.schedule?.start
    }

    /// True for what becomes of a schedule after its start, by which a published request changes.
    fileprivate var isOfEnd: Bool {
        [
            .endScheduledPublish, .cancelScheduledPublish, .holdRollout, .resumeRollout,
            .endRollout,
        ].contains(action)
    }
}

extension ChangeRequestHeader {
    /// The header of a state of a request, with a new unique tag.
    init(
        of request: ChangeRequest, project: String, id: String, updateTime: Date,
        deletedVersion: Int?, size: Int
    ) {
        let state: StoredChangeRequest.State =
            if let ending = request.ending {
                ending.version == nil ? .closed : .published
            } else {
                .open
            }
        self.init(
            project: project, id: id, state: state, tag: UUID().uuidString.lowercased(),
            updateTime: updateTime.roundedToMilliseconds, deletedVersion: deletedVersion,
            size: size, scheduledDate: request.schedule?.start.date,
            dueDate: state == .closed ? nil : request.schedule?.dueDate)
    }
}
