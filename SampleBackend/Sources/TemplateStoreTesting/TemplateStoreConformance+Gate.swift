import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of the approvals that ``TemplateStoring/publish(_:)`` needs in a protected project.
    public static var gateChecks: [Check] {
        [
            Check("protectedProjectsNeedApprovals", Self.protectedProjectsNeedApprovals),
            Check("anApprovedRequestIsPublished", Self.anApprovedRequestIsPublished),
            Check("votesCountByPeople", Self.votesCountByPeople),
            Check("onlyValidTokensVote", Self.onlyValidTokensVote),
            Check("peopleWithoutTokensVote", Self.peopleWithoutTokensVote),
            Check("requestedChangesPreventAPublish", Self.requestedChangesPreventAPublish),
            Check("onlyTheContentExemptsARollback", Self.onlyTheContentExemptsARollback),
            Check("aRequestIsPublishedOnce", Self.aRequestIsPublishedOnce),
        ]
    }

    /// No publish passes without grounds, forced ones, undos and rollbacks included.
    public func protectedProjectsNeedApprovals() async throws {
        try await onNewStore { trial in
            try await trial.publish("{\"n\":1}")
            try await trial.protect(ProjectProtection(requiredApprovals: 2))
            let before = try await trial.revision()
            let rule = "A protected project needs approvals."
            let types: [TemplateVersion.UpdateType] = [
                .incrementalUpdate, .forcedUpdate, .rollback, .undo,
            ]
            for type in types {
                for expectation in [TemplateSubmission.Expectation.any, .version(1)] {
                    var submission = StoreTrial.submission("{}", expecting: expectation)
                    submission.updateType = type
                    submission.sourceVersion = 1
                    let error = try await trial.expectError(.approvalRequired, rule) {
                        [submission] () throws(TemplateStoreError) in
                        _ = try await trial.store.publish(submission)
                    }
                    try trial.expect(error.missingApprovals, is: 2, "The error has the number.")
                }
            }
            try trial.expect(try await trial.revision(), is: before, rule)
            try await trial.publish(inProject: "other")
            let bypassed = try await trial.publish(
                "{\"n\":2}", PublishApproval(bypassReason: "Fire", person: "Ada"))
            try trial.expect(
                bypassed.version.description, is: "Without approval: Fire",
                "A version has the reason for which it was not approved.")
            try await trial.protect(nil)
            try await trial.publish("{\"n\":3}")
        }
    }

    /// A request with enough approvals is published together with the version.
    public func anApprovedRequestIsPublished() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.protect(ProjectProtection(requiredApprovals: 2))
            for name in ["Bob", "Eve"] { try await trial.addVoter(name) }
            var open = try await trial.save(StoreTrial.changeRequest(), edited: "{\"a\":1}")
            for (name, missing) in [("Bob", 1), ("Eve", 0)] {
                open = try await trial.vote(.approve, by: name, for: open)
                let approval = PublishApproval(
                    changeRequest: .init(id: open.id, tag: open.tag), person: "Ada")
                if missing > 0 {
                    let error = try await trial.expectError(
                        .approvalRequired, "Each approval counts."
                    ) { () throws(TemplateStoreError) in
                        try await trial.publish("{\"merged\":1}", approval)
                    }
                    try trial.expect(error.missingApprovals, is: missing, "Each approval counts.")
                    continue
                }
                try await trial.expectError(
                    .approvalRequired, "A request is published over a known version."
                ) { () throws(TemplateStoreError) in
                    try await trial.publish("{\"merged\":1}", approval, expecting: .any)
                }
                var outdated = approval
                outdated.changeRequest?.outdatedVoters = ["Eve"]
                try await trial.expectError(.approvalRequired, "Outdated votes do not count.") {
                    [outdated] () throws(TemplateStoreError) in
                    try await trial.publish("{\"merged\":1}", outdated)
                }
                let version = try await trial.publish("{\"merged\":1}", approval)
                try trial.expect(version.version.number, is: 2, "An approved request is published.")
                let found = try await trial.reopen().changeRequest(
                    id: open.id, inProject: StoreTrial.project, date: StoreTrial.date)
                try trial.expect(found?.state, is: .published, "The request is published.")
                try trial.expect(
                    found?.request.ending?.version, is: 2, "The request has its version.")
                try trial.expect(
                    StoreTrial.text(found?.contents?.edited), is: "{\"a\":1}",
                    "A published request keeps its templates.")
            }
        }
    }

    /// Two tokens of one person are one vote, and those who made a request have none.
    public func votesCountByPeople() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            for name in ["Ada", "Bob", "Eve"] { try await trial.addVoter(name) }
            for (selfApproval, voters, count) in [
                (false, ["Ada", "Bob"], 0), (false, ["Eve"], 1), (false, ["Eve", "Eve"], 1),
                (true, ["Ada", "Bob", "Eve"], 3),
            ] {
                let protection = ProjectProtection(
                    requiredApprovals: 3, selfApproval: selfApproval)
                try await trial.protect(protection)
                var request = StoreTrial.changeRequest(person: "Ada")
                request.addEditor(.init(person: "Bob", actor: "another token"))
                for name in voters {
                    request.add(StoreTrial.vote(.approve, by: name, of: request))
                }
                let id = "\(selfApproval) \(voters.count) \(count)"
                let open = try await trial.save(request, id: id)
                let rule = "Votes count by people, without those who made the request."
                guard count < 3 else {
                    try await trial.publish(
                        PublishApproval(changeRequest: .init(id: id, tag: open.tag)))
                    continue
                }
                let error = try await trial.expectError(.approvalRequired, rule) {
                    () throws(TemplateStoreError) in
                    try await trial.publish(
                        PublishApproval(changeRequest: .init(id: id, tag: open.tag)))
                }
                try trial.expect(error.missingApprovals, is: 3 - count, rule)
            }
        }
    }

    /// A vote counts while its person has a valid token with a role that may approve.
    public func onlyValidTokensVote() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.protect(ProjectProtection())
            try await trial.addVoter("Eve")
            try await trial.addVoter("Viewer", role: .viewer)
            try await trial.addVoter(
                "Elsewhere", role: .publisher, projects: ["other": .publisher])
            var request = StoreTrial.changeRequest()
            for name in ["Eve", "Viewer", "Elsewhere", "Unknown"] {
                request.add(StoreTrial.vote(.approve, by: name, of: request))
            }
            let open = try await trial.save(request)
            let approval = PublishApproval(changeRequest: .init(id: open.id, tag: open.tag))
            _ = try await trial.store.revokeToken(
                id: "token of Eve", actor: "root", date: StoreTrial.date)
            try await trial.expectError(.approvalRequired, "Only valid tokens vote.") {
                () throws(TemplateStoreError) in try await trial.publish(approval)
            }
            // The token was rotated.
            try await trial.addVoter("Eve", id: "new", role: .editor)
            try await trial.publish(approval)
        }
    }

    /// A vote without a token counts for voters whom the publisher names, and for no others.
    public func peopleWithoutTokensVote() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.protect(ProjectProtection())
            var request = StoreTrial.changeRequest(person: "Ada")
            for name in ["Ada", "Eve"] {
                request.add(StoreTrial.vote(.approve, by: name, of: request))
            }
            let open = try await trial.save(request)
            var approval = PublishApproval(changeRequest: .init(id: open.id, tag: open.tag))
            let rule = "Only named voters without a token vote, and never on their own request."
            for voters in [[], ["Ada"], ["Bob"]] {
                approval.changeRequest?.signedInVoters = voters
                try await trial.expectError(.approvalRequired, rule) {
                    [approval] () throws(TemplateStoreError) in try await trial.publish(approval)
                }
            }
            approval.changeRequest?.signedInVoters = ["Eve"]
            try await trial.publish(approval)
        }
    }

    /// One request for changes prevents a publish, until its author approves.
    public func requestedChangesPreventAPublish() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.protect(ProjectProtection(requiredApprovals: 1))
            for name in ["Bob", "Eve"] { try await trial.addVoter(name) }
            var open = try await trial.save(StoreTrial.changeRequest())
            open = try await trial.vote(.approve, by: "Bob", for: open)
            open = try await trial.vote(.requestChanges, by: "Eve", for: open)
            let error = try await trial.expectError(
                .approvalRequired, "Requested changes prevent a publish."
            ) { [open] () throws(TemplateStoreError) in
                try await trial.publish(
                    PublishApproval(changeRequest: .init(id: open.id, tag: open.tag)))
            }
            try trial.expect(error.missingApprovals, is: 0, "No approval is missing.")
            open = try await trial.vote(.approve, by: "Eve", for: open)
            // Another content has no vote.
            let other = try await trial.save(
                open.request, edited: "{\"a\":2}", expecting: .tag(open.tag))
            try await trial.expectError(.approvalRequired, "A vote is for one content.") {
                () throws(TemplateStoreError) in
                try await trial.publish(
                    PublishApproval(changeRequest: .init(id: other.id, tag: other.tag)))
            }
            let again = try await trial.vote(.approve, by: "Bob", for: other)
            try await trial.publish(
                PublishApproval(changeRequest: .init(id: again.id, tag: again.tag)))
        }
    }

    /// A rollback needs no approval where the protection allows it and every byte is the same.
    public func onlyTheContentExemptsARollback() async throws {
        try await onNewStore { trial in
            try await trial.publish("{\"n\":1}")
            try await trial.publish("{\"n\":2}")
            let rule = "Only the exact content of a version is rolled back without approval."
            func rollBack(_ content: String, to version: Int) -> TemplateSubmission {
                var submission = StoreTrial.submission(content)
                submission.updateType = .rollback
                submission.sourceVersion = version
                return submission
            }
            try await trial.protect(ProjectProtection())
            try await trial.expectError(.approvalRequired, rule) {
                () throws(TemplateStoreError) in
                _ = try await trial.store.publish(rollBack("{\"n\":1}", to: 1))
            }
            try await trial.protect(ProjectProtection(rollbackWithoutApproval: true))
            for (content, version) in [("{\"n\":1} ", 1), ("{\"n\":1}", 2), ("{\"n\":1}", 9)] {
                try await trial.expectError(.approvalRequired, rule) {
                    () throws(TemplateStoreError) in
                    _ = try await trial.store.publish(rollBack(content, to: version))
                }
            }
            let stored = try await trial.store.rollBack(
                to: 1, inProject: StoreTrial.project, user: .init(name: "publisher"),
                date: StoreTrial.date)
            try trial.expect(StoreTrial.text(stored.content), is: "{\"n\":1}", rule)
        }
    }

    /// Of many concurrent publishes of one request, one succeeds.
    public func aRequestIsPublishedOnce() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let open = try await trial.save(StoreTrial.changeRequest())
            _ = try await trial.onlyOneSucceeds(
                "A request is published once.", elseFailing: .versionMismatch
            ) { store, _ throws(TemplateStoreError) in
                var submission = StoreTrial.submission("{}", expecting: .version(1))
                submission.approval = PublishApproval(
                    changeRequest: .init(id: open.id, tag: open.tag))
                return try await store.publish(submission)
            }
            try await trial.expectError(.changeRequestMismatch, "A request is published once.") {
                () throws(TemplateStoreError) in
                try await trial.publish(
                    PublishApproval(changeRequest: .init(id: open.id, tag: open.tag)))
            }
        }
    }
}

extension StoreTrial {
    func protect(_ protection: ProjectProtection?) async throws {
        _ = try await store.setProjectDetails(
            Self.detailsChange(ProjectDetails(protection: protection)))
    }

    /// Adds a token of a person.
    fileprivate func addVoter(
        _ person: String, id: String? = nil, role: StoredToken.Role = .editor,
        projects: [String: StoredToken.Role]? = nil
    ) async throws {
        let id = id ?? "token of \(person)"
        try await store.addToken(
            StoredToken(
                id: id, name: id, role: role, projects: projects, owner: person,
                hash: Data(id.utf8), creationDate: Self.date), actor: "root")
    }

    fileprivate func vote(
        _ verdict: ChangeRequest.Verdict, by person: String, for open: StoredChangeRequest
    ) async throws -> StoredChangeRequest {
        var request = open.request
        request.add(Self.vote(verdict, by: person, of: request))
        return try await save(request, id: open.id, edited: nil, expecting: .tag(open.tag))
    }

    /// Publishes over the current version, on some grounds.
    @discardableResult
    fileprivate func publish(
        _ content: String = "{}", _ approval: PublishApproval,
        expecting expectation: TemplateSubmission.Expectation? = nil
    ) async throws(TemplateStoreError) -> StoredTemplate {
        let current = try await store.template(version: nil, inProject: Self.project)
        var submission = Self.submission(
            content, expecting: expectation ?? .version(current?.version.number ?? 0))
        submission.approval = approval
        return try await store.publish(submission)
    }

    @discardableResult
    fileprivate func publish(
        _ approval: PublishApproval
    ) async throws(TemplateStoreError) -> StoredTemplate {
        try await publish("{}", approval)
    }
}
