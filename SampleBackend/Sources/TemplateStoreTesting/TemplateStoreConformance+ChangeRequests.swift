import Foundation
import TemplateStore

extension TemplateStoreConformance {
    /// The checks of ``ChangeRequestStoring``.
    public static var changeRequestChecks: [Check] {
        [
            Check("changeRequestsAreKeptAsTheyAre", Self.changeRequestsAreKeptAsTheyAre),
            Check(
                "aChangeRequestReplacesTheExpectedOne", Self.aChangeRequestReplacesTheExpectedOne),
            Check("oneOfManyVotesIsStored", Self.oneOfManyVotesIsStored),
            Check("anEndedChangeRequestIsNotChanged", Self.anEndedChangeRequestIsNotChanged),
            Check("openChangeRequestsAreLimited", Self.openChangeRequestsAreLimited),
            Check("changeRequestsNeedAProject", Self.changeRequestsNeedAProject),
            Check("changeRequestsExpire", Self.changeRequestsExpire),
            Check("aClockAheadRemovesNoChangeRequest", Self.aClockAheadRemovesNoChangeRequest),
            Check("deletedProjectsKeepClosedRequests", Self.deletedProjectsKeepClosedRequests),
            Check("requestsOfDeletedProjectsAreRemoved", Self.requestsOfDeletedProjectsAreRemoved),
            Check("changesOfRequestsAreAudited", Self.changesOfRequestsAreAudited),
        ]
    }

    /// A request keeps all its fields and templates, and belongs to one project.
    public func changeRequestsAreKeptAsTheyAre() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.publish(inProject: "other")
            let rule = "A change request is returned unchanged."
            for (number, id) in ["a", "A", "é", "e\u{301}", "a/b%2F"].enumerated() {
                var request = StoreTrial.changeRequest("Title \(number)", person: id)
                request.text = number == 0 ? nil : "a\0b"
                request.addEditor(.init(person: "e\u{301}", actor: "tool"))
                request.add(StoreTrial.vote(.approve, by: "Bob", of: request, comment: "Yes."))
                request.add(StoreTrial.vote(.requestChanges, by: "é", of: request))
                request.add(
                    ChangeRequest.Comment(
                        author: .init(person: nil, actor: "ci"), text: "Why?", path: "conditions.x",
                        date: StoreTrial.date + 0.123))
                let stored = try await trial.save(request, id: id, edited: "{\"n\":\(number)}")
                try trial.expect(stored.state, is: .open, "A new change request is open.")
                let found = try await trial.reopen().changeRequest(
                    id: id, inProject: StoreTrial.project, date: StoreTrial.date)
                var expected = stored
                expected.contents = ChangeRequestContents(
                    base: Data("{}".utf8), edited: Data("{\"n\":\(number)}".utf8))
                try trial.expect(found, is: expected, rule)
                try trial.expect(stored.contents, is: nil, "A save returns no templates.")
                try trial.expect(
                    stored.request.contentDigest,
                    is: StoreTrial.digest(ofEdited: "{\"n\":\(number)}"),
                    "A request has the digest of its edit.")
                try trial.expect(stored.request.votes, is: request.votes, rule)
                try trial.expect(stored.request.comments, is: request.comments, rule)
            }
            let listed = try await trial.reopen().changeRequests(
                inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(listed.count, is: 5, "All requests of a project are listed.")
            for header in listed {
                let found = try await trial.store.changeRequest(
                    id: header.id, inProject: StoreTrial.project, date: StoreTrial.date)
                try trial.expect(header, is: found?.header, "A list has the headers of requests.")
                let contents = found?.contents
                try trial.expect(
                    header.size,
                    is: (found?.request.record.count ?? 0) + (contents?.base.count ?? 0)
                        + (contents?.edited.count ?? 0), "A header has the size of the request.")
            }
            let others = try await trial.store.changeRequests(
                inProject: "other", date: StoreTrial.date)
            try trial.expect(others, is: [], "A request belongs to one project.")
            let missing = try await trial.store.changeRequest(
                id: "a", inProject: "other", date: StoreTrial.date)
            try trial.expect(missing, is: nil, "A request belongs to one project.")
        }
    }

    /// A vote on a request that changed is not stored; without new templates, those stay.
    public func aChangeRequestReplacesTheExpectedOne() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let rule = "A change request replaces the expected one only."
            let request = StoreTrial.changeRequest()
            for expectation in [StateExpectation.present, .tag("x")] {
                try await trial.expectError(.changeRequestMismatch, rule) {
                    () throws(TemplateStoreError) in
                    try await trial.save(request, expecting: expectation)
                }
            }
            try await trial.expectError(.changeRequestMismatch, "A new request has templates.") {
                () throws(TemplateStoreError) in
                try await trial.save(request, edited: nil)
            }
            let first = try await trial.save(request, edited: "{\"a\":1}")
            var voted = first.request
            voted.add(StoreTrial.vote(.approve, by: "Bob", of: voted))
            let second = try await trial.save(voted, edited: nil, expecting: .tag(first.tag))
            try trial.expect(
                second.tag != first.tag, "Each state has its own tag.", found: second.tag)
            try trial.expect(
                second.request.contentDigest, is: first.request.contentDigest,
                "A vote leaves the content as it is.")
            try await trial.expectError(.changeRequestMismatch, rule) {
                () throws(TemplateStoreError) in
                try await trial.save(voted, edited: nil, expecting: .tag(first.tag))
            }
            let third = try await trial.save(
                second.request, edited: "{\"a\":2}", expecting: .tag(second.tag))
            try trial.expect(
                third.request.contentDigest, is: StoreTrial.digest(ofEdited: "{\"a\":2}"),
                "Another content has another digest.")
            try trial.expect(
                third.request.votes, is: voted.votes, "Votes on an earlier content stay.")
            let found = try await trial.reopen().changeRequest(
                id: "1", inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(
                StoreTrial.text(found?.contents?.edited), is: "{\"a\":2}", "The last content stays."
            )
        }
    }

    /// Of many concurrent votes on one state, one is stored.
    public func oneOfManyVotesIsStored() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let first = try await trial.save(StoreTrial.changeRequest())
            let winner = try await trial.onlyOneSucceeds(
                "One of many concurrent votes is stored.", elseFailing: .changeRequestMismatch
            ) { store, number throws(TemplateStoreError) in
                var request = first.request
                request.add(StoreTrial.vote(.approve, by: "p\(number)", of: request))
                return try await store.saveChangeRequest(
                    StoreTrial.changeRequestSubmission(
                        request, edited: nil, expecting: .tag(first.tag)))
            }
            let found = try await trial.store.changeRequest(
                id: "1", inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(found?.tag, is: winner.tag, "The vote that succeeded is stored.")
            try trial.expect(found?.request.votes.count, is: 1, "No other vote is stored.")
        }
    }

    /// A closed request refuses all changes.
    public func anEndedChangeRequestIsNotChanged() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let open = try await trial.save(StoreTrial.changeRequest())
            var request = open.request
            request.ending = ChangeRequest.Ending(
                participant: .init(person: "Ada", actor: "ada"), date: StoreTrial.date)
            let closed = try await trial.save(request, edited: nil, expecting: .tag(open.tag))
            try trial.expect(closed.state, is: .closed, "A request with an end is closed.")
            for edited in [nil, "{}"] {
                try await trial.expectError(
                    .changeRequestEnded, "A closed request is not changed."
                ) { () throws(TemplateStoreError) in
                    try await trial.save(request, edited: edited, expecting: .tag(closed.tag))
                }
            }
        }
    }

    /// The number of open requests of a project is limited; ended ones do not count.
    public func openChangeRequestsAreLimited() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            var last: StoredChangeRequest?
            for number in 0..<TemplateStoreLimits.openChangeRequests {
                last = try await trial.save(StoreTrial.changeRequest(), id: "\(number)")
            }
            let rule = "The number of open requests is limited."
            try await trial.expectError(.tooManyChangeRequests, rule) {
                () throws(TemplateStoreError) in
                try await trial.save(StoreTrial.changeRequest(), id: "more")
            }
            if let last {
                var request = last.request
                request.ending = ChangeRequest.Ending(
                    participant: .init(person: nil, actor: "ci"), date: StoreTrial.date)
                try await trial.save(
                    request, id: last.id, edited: nil, expecting: .tag(last.tag))
            }
            try await trial.save(StoreTrial.changeRequest(), id: "more")
            var long = StoreTrial.changeRequest()
            long.text = String(repeating: "x", count: TemplateStoreLimits.changeRequestBytes)
            try await trial.expectError(.changeRequestTooLarge, "A request has a maximum size.") {
                () throws(TemplateStoreError) in
                try await trial.save(long, id: "0", edited: nil, expecting: .present)
            }
            // Whoever fills a request keeps nobody from voting on it or closing it.
            for action in [AuditEntry.Action.rejectChangeRequest, .closeChangeRequest] {
                try await trial.save(
                    long, id: "0", edited: nil, expecting: .present, action: action)
            }
        }
    }

    /// A request needs a project that is not archived.
    public func changeRequestsNeedAProject() async throws {
        try await onNewStore { trial in
            try await trial.expectError(.projectMissing, "A request needs a project.") {
                () throws(TemplateStoreError) in
                try await trial.save(StoreTrial.changeRequest())
            }
            try await trial.publish()
            _ = try await trial.store.setProjectDetails(
                StoreTrial.detailsChange(ProjectDetails(isArchived: true)))
            try await trial.expectError(.projectArchived, "An archived project has no requests.") {
                () throws(TemplateStoreError) in
                try await trial.save(StoreTrial.changeRequest())
            }
        }
    }

    /// An open request expires some time after its last change, and is removed long after that.
    public func changeRequestsExpire() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let open = try await trial.save(StoreTrial.changeRequest())
            let lifetime = TemplateStoreLimits.changeRequestLifetime
            func state(_ seconds: TimeInterval) async throws -> StoredChangeRequest.State? {
                try await trial.reopen().changeRequest(
                    id: "1", inProject: StoreTrial.project, date: StoreTrial.date + seconds)?.state
            }
            try trial.expect(try await state(lifetime - 0.001), is: .open, "A request is kept.")
            try trial.expect(try await state(lifetime), is: .expired, "An open request expires.")
            try await trial.expectError(.changeRequestEnded, "An expired one is not changed.") {
                () throws(TemplateStoreError) in
                try await trial.save(
                    open.request, edited: nil, expecting: .tag(open.tag),
                    date: StoreTrial.date + lifetime)
            }
            for (days, expected) in [
                (179, StoredChangeRequest.State.expired), (181, .expired), (187, .expired),
                (189, nil),
            ] {
                let seconds = Double(days) * 86_400
                try await trial.store.removeExpiredChangeRequests(at: StoreTrial.date + seconds)
                try trial.expect(
                    try await state(seconds), is: expected,
                    "An expired request is removed after 90 days and its mark.")
            }
        }
    }

    /// A clock that is ahead temporarily removes nothing.
    public func aClockAheadRemovesNoChangeRequest() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.save(StoreTrial.changeRequest())
            for days in [365, 0.1, 400] {
                try await trial.store.removeExpiredChangeRequests(
                    at: StoreTrial.date + days * 86_400)
            }
            let found = try await trial.store.changeRequest(
                id: "1", inProject: StoreTrial.project, date: StoreTrial.date + 1)
            try trial.expect(found?.state, is: .open, "A clock ahead removes no request.")
        }
    }

    /// The deletion of a project closes its requests, which stay readable.
    public func deletedProjectsKeepClosedRequests() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            var request = StoreTrial.changeRequest()
            request.add(StoreTrial.vote(.approve, by: "Bob", of: request))
            let open = try await trial.save(request)
            _ = try await trial.store.setProjectDetails(
                StoreTrial.detailsChange(ProjectDetails(isArchived: true)))
            try await trial.store.deleteProject(
                ProjectDeletion(
                    project: StoreTrial.project, date: StoreTrial.date, actor: "root"))
            let entry = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery(actions: [.deleteProject])
            ).first
            try trial.expect(
                entry?.detail, is: "last version 1; closed change requests 1",
                "The entry of a deletion names the requests that it closes.")
            for isNew in [false, true] {
                if isNew { try await trial.publish() }
                let found = try await trial.reopen().changeRequest(
                    id: "1", inProject: StoreTrial.project, date: StoreTrial.date)
                try trial.expect(
                    found?.state, is: .closed, "The deletion of a project closes its requests.")
                try trial.expect(
                    found?.request.votes, is: open.request.votes,
                    "Requests of a deleted project stay readable.")
                try trial.expect(
                    StoreTrial.text(found?.contents?.base), is: "{}",
                    "Requests of a deleted project keep their templates.")
            }
            try await trial.expectError(
                .changeRequestEnded, "A new project does not open old requests."
            ) { () throws(TemplateStoreError) in
                try await trial.save(open.request, edited: nil, expecting: .tag(open.tag))
            }
            try await trial.save(StoreTrial.changeRequest(), id: "new")
            let states = try await trial.store.changeRequests(
                inProject: StoreTrial.project, date: StoreTrial.date
            ).map(\.state.rawValue).sorted()
            try trial.expect(states, is: ["CLOSED", "OPEN"], "A new request is open.")
        }
    }

    /// Ended requests of a deleted project are removed in time, with their templates.
    public func requestsOfDeletedProjectsAreRemoved() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let long = String(repeating: "x", count: 1_200_000)
            for id in ["1", "2"] {
                try await trial.save(StoreTrial.changeRequest(), id: id, edited: "\"\(long)\"")
            }
            _ = try await trial.store.setProjectDetails(
                StoreTrial.detailsChange(ProjectDetails(isArchived: true)))
            try await trial.store.deleteProject(
                ProjectDeletion(
                    project: StoreTrial.project, date: StoreTrial.date, actor: "root"))
            // They end with the project, so they do not expire first.
            for days in [89.0, 91, 97, 99] {
                try await trial.store.removeExpiredChangeRequests(
                    at: StoreTrial.date + days * 86_400)
                let left = try await trial.reopen().changeRequests(
                    inProject: StoreTrial.project, date: StoreTrial.date)
                try trial.expect(
                    left.count, is: days < 98 ? 2 : 0,
                    "Requests of a deleted project are removed in time.")
            }
            try await trial.publish()
            try await trial.save(StoreTrial.changeRequest(), id: "1")
        }
    }

    /// Each change of a request is in the audit trail and the change feed.
    public func changesOfRequestsAreAudited() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let before = try await trial.revision()
            let open = try await trial.save(StoreTrial.changeRequest("Title"))
            try await trial.save(
                open.request, edited: nil, expecting: .tag(open.tag), action: .approveChangeRequest)
            let entries = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery(limit: 2))
            try trial.expect(
                entries.map(\.action), is: [.approveChangeRequest, .createChangeRequest],
                "Each change of a request is in the audit trail.")
            try trial.expect(
                entries.map(\.subject), is: ["1", "1"], "The entry has the identifier.")
            try trial.expect(entries.first?.detail, is: "Title", "The entry has the title.")
            let changes = try await trial.next(
                2, of: trial.reopen().changes(since: before))
            let subject = StoreChange.Subject.changeRequest(project: StoreTrial.project, id: "1")
            try trial.expect(
                changes.map(\.subject), is: [subject, subject],
                "Each change of a request is in the change feed.")
        }
    }
}

extension StoreTrial {
    static func changeRequest(_ title: String = "Title", person: String? = "Ada") -> ChangeRequest {
        ChangeRequest(
            title: title, author: .init(person: person, actor: "ada's token"), baseVersion: 1,
            creationDate: date)
    }

    /// The digest of an edit of the base `{}`.
    static func digest(ofEdited edited: String) -> String {
        ChangeRequest.digest(
            of: ChangeRequestContents(base: Data("{}".utf8), edited: Data(edited.utf8)))
    }

    /// A vote on the content `{}`, unless the request has another one.
    static func vote(
        _ verdict: ChangeRequest.Verdict, by person: String, of request: ChangeRequest,
        comment: String? = nil
    ) -> ChangeRequest.Vote {
        let digest = request.contentDigest
        return ChangeRequest.Vote(
            person: person, actor: "token of \(person)", verdict: verdict,
            digest: digest.isEmpty ? self.digest(ofEdited: "{}") : digest,
            liveVersion: 1, comment: comment, date: date)
    }

    /// A submission; without an edited template, the stored templates stay.
    static func changeRequestSubmission(
        _ request: ChangeRequest, id: String = "1", inProject project: String = project,
        edited: String? = "{}", expecting expectation: StateExpectation = .absent,
        action: AuditEntry.Action = .createChangeRequest, date: Date = date
    ) -> ChangeRequestSubmission {
        ChangeRequestSubmission(
            project: project, id: id, request: request,
            contents: edited.map {
                ChangeRequestContents(base: Data("{}".utf8), edited: Data($0.utf8))
            }, expectation: expectation, action: action, date: date, actor: "ada's token")
    }

    @discardableResult
    func save(
        _ request: ChangeRequest, id: String = "1", edited: String? = "{}",
        expecting expectation: StateExpectation = .absent,
        action: AuditEntry.Action = .createChangeRequest, date: Date = date
    ) async throws(TemplateStoreError) -> StoredChangeRequest {
        try await store.saveChangeRequest(
            Self.changeRequestSubmission(
                request, id: id, edited: edited, expecting: expectation, action: action, date: date)
        )
    }
}
