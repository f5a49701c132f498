public import Foundation
public import TemplateStore

/// A store in the memory of the process, for tests and experiments.
///
/// It obeys all rules of a store, but its content is lost when the process ends.
public final class InMemoryTemplateStore: TemplateStore {
    private struct State {
        var contents: InMemoryStoreContents
        var isClosed = false
    }

    private let state: Locked<State>

    /// Wakes the readers of changes.
    private let signal = ChangeSignal(.zero)

    /// Creates an empty store.
    public convenience init() { self.init(keptChanges: TemplateStoreLimits.keptChanges) }

    /// Creates an empty store that keeps a given number of changes.
    package init(keptChanges: Int) {
        state = Locked(State(contents: InMemoryStoreContents(keptChanges: keptChanges)))
    }

    /// Calls a closure with exclusive access to the contents, then wakes the readers of changes.
    func access<Result>(
        _ body: (inout InMemoryStoreContents) throws(TemplateStoreError) -> Result
    ) throws(TemplateStoreError) -> Result {
        let (result, revision) = try state.withLock {
            state throws(TemplateStoreError) -> (Result, StoreRevision) in
            if state.isClosed { throw .closed }
            let result = try body(&state.contents)
            return (result, state.contents.revision)
        }
        signal.advance(to: revision)
        return result
    }

    /// Publishes a template as the next version if the current version is the expected one.
    public func publish(
        _ submission: TemplateSubmission
    ) async throws(TemplateStoreError) -> StoredTemplate {
        try access { contents throws(TemplateStoreError) in try contents.publish(submission) }
    }

    /// A version of a project's template.
    public func template(
        version: Int?, inProject project: String
    ) async throws(TemplateStoreError) -> StoredTemplate? {
        try access { $0.template(version: version, inProject: project) }
    }

    /// The versions of a project, newest first.
    public func versions(
        inProject project: String, matching query: VersionQuery
    ) async throws(TemplateStoreError) -> VersionPage {
        try access { $0.versions(inProject: project, matching: query) }
    }

    /// Pins values for a user, or removes them.
    public func setOverrides(_ change: OverridesChange) async throws(TemplateStoreError) {
        try access { contents throws(TemplateStoreError) in try contents.setOverrides(change) }
    }

    /// The pinned values of a user; nil when there are none.
    public func overrides(
        forUserID userID: String, inProject project: String
    ) async throws(TemplateStoreError) -> Data? {
        try access { $0.overrides(forUserID: userID, inProject: project) }
    }

    /// The data that a server needs to answer clients, read at one revision.
    public func snapshot() async throws(TemplateStoreError) -> TemplateStoreSnapshot {
        try access { $0.snapshot() }
    }

    /// The version floor; 0 until it is raised.
    public func versionFloor() async throws(TemplateStoreError) -> Int {
        try access { $0.versionFloor }
    }

    /// The changes after a revision, in order.
    public func changes(since revision: StoreRevision) -> StoreChanges {
        StoreChanges(after: revision, signal: signal) {
            [self] position throws(TemplateStoreError) in
            try access { contents throws(TemplateStoreError) in
                try contents.changes(after: position)
            }
        }
    }

    /// The audit trail of a project and the server, newest first.
    public func auditEntries(
        inProject project: String, matching query: AuditQuery
    ) async throws(TemplateStoreError) -> [AuditEntry] {
        try access { $0.auditEntries(inProject: project, matching: query) }
    }

    /// Stores a new access token as its hash.
    public func addToken(
        _ token: StoredToken, actor: String
    ) async throws(TemplateStoreError) {
        try access { contents throws(TemplateStoreError) in
            try contents.addToken(token, actor: actor)
        }
    }

    /// All tokens, oldest first.
    public func tokens() async throws(TemplateStoreError) -> [StoredToken] {
        try access { $0.tokens }
    }

    /// Revokes a token permanently; false when no token has this identifier.
    public func revokeToken(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try access { $0.revokeToken(id: id, actor: actor, date: date) }
    }

    /// Records the last uses of tokens.
    public func recordUses(_ dates: [String: Date]) async throws(TemplateStoreError) {
        try access { contents in
            for (id, date) in dates { contents.recordUse(ofToken: id, date: date) }
        }
    }

    /// Returns if the store is open, otherwise throws.
    public func checkReadiness() async throws(TemplateStoreError) {
        try access { _ in }
    }

    /// Ends all sequences of changes; later calls fail.
    public func close() async {
        state.withLock { $0.isClosed = true }
        signal.finish()
    }
}

extension InMemoryTemplateStore {
    /// Stores a new session, and removes sessions that have expired by its creation.
    public func addSession(
        _ session: StoredSession, actor: String
    ) async throws(TemplateStoreError) {
        try access { contents throws(TemplateStoreError) in
            try contents.addSession(session, actor: actor)
        }
    }

    /// The sessions that expire after a date.
    public func sessions(
        lastingAt date: Date
    ) async throws(TemplateStoreError) -> [StoredSession] {
        try access { $0.sessions.values.filter { $0.expirationDate > date } }
    }

    /// A session; nil when none has this identifier.
    public func session(id: String) async throws(TemplateStoreError) -> StoredSession? {
        try access { $0.sessions[id] }
    }

    /// Ends and removes a session; false when none has this identifier.
    public func removeSession(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try access { $0.removeSession(id: id, actor: actor, date: date) }
    }

    /// Adds an entry for failed attempts to sign in to the audit trail.
    public func recordFailedSignIns(_ failed: FailedSignIns) async throws(TemplateStoreError) {
        try access { $0.recordFailedSignIns(failed) }
    }
}

extension InMemoryTemplateStore {
    /// Creates or replaces a draft if the stored one is as expected.
    public func saveDraft(
        _ submission: DraftSubmission
    ) async throws(TemplateStoreError) -> StoredDraft {
        try access { contents throws(TemplateStoreError) in
            try contents.checkIsNotArchived(submission.project)
            return try contents.drafts.save(submission)
        }
    }

    /// The draft of an administrator in a project; nil when there is none or it has expired.
    public func draft(
        ofOwner owner: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredDraft? {
        try access { $0.drafts.draft(ofOwner: owner, inProject: project, date: date) }
    }

    /// Removes a draft; false when there is none.
    public func removeDraft(
        ofOwner owner: String, inProject project: String,
        expecting expectation: StateExpectation, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try access { contents throws(TemplateStoreError) in
            try contents.drafts.remove(
                ofOwner: owner, inProject: project, expecting: expectation, date: date)
        }
    }
}

extension InMemoryTemplateStore {
    /// Creates or replaces an open change request if the stored one is as expected.
    public func saveChangeRequest(
        _ submission: ChangeRequestSubmission
    ) async throws(TemplateStoreError) -> StoredChangeRequest {
        try access { contents throws(TemplateStoreError) in
            try contents.saveChangeRequest(submission)
        }
    }

    /// A change request with its templates; nil when there is none with this identifier.
    public func changeRequest(
        id: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredChangeRequest? {
        try access { $0.changeRequest(id: id, inProject: project, date: date) }
    }

    /// The headers of a project's change requests, the last changed one first.
    public func changeRequests(
        inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader] {
        try access { $0.changeRequestHeaders(inProject: project, date: date) }
    }

    /// The headers of the change requests of all projects whose schedules wait for a time.
    public func scheduledChangeRequests(
        date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader] {
        try access { $0.scheduledChangeRequests(date: date) }
    }

    /// Marks and removes the change requests of all projects that nobody changed for long.
    public func removeExpiredChangeRequests(at date: Date) async throws(TemplateStoreError) {
        try access { $0.removeExpiredChangeRequests(at: date) }
    }
}

extension InMemoryTemplateStore {
    /// Creates a project with an empty template.
    public func createProject(
        _ creation: ProjectCreation
    ) async throws(TemplateStoreError) -> StoredTemplate {
        try access { contents throws(TemplateStoreError) in try contents.createProject(creation) }
    }

    /// Deletes an archived project with all of its content.
    @discardableResult
    public func deleteProject(
        _ deletion: ProjectDeletion
    ) async throws(TemplateStoreError) -> Int {
        try access { contents throws(TemplateStoreError) in try contents.deleteProject(deletion) }
    }

    /// The last version of a deleted project.
    public func deletedVersion(
        ofProject project: String
    ) async throws(TemplateStoreError) -> Int? {
        try access { $0.deletedVersions[project] }
    }

    /// Replaces the details of a project if the stored ones are as expected.
    public func setProjectDetails(
        _ change: ProjectDetailsChange
    ) async throws(TemplateStoreError) -> StoredProjectDetails {
        try access { contents throws(TemplateStoreError) in
            try contents.setProjectDetails(change)
        }
    }

    /// The details of a project; nil when there is no such project.
    public func projectDetails(
        ofProject project: String
    ) async throws(TemplateStoreError) -> StoredProjectDetails? {
        try access { $0.projectDetails(ofProject: project) }
    }
}

extension InMemoryTemplateStore {
    /// Stores a new webhook.
    public func addWebhook(_ webhook: StoredWebhook) async throws(TemplateStoreError) {
        try access { contents throws(TemplateStoreError) in try contents.addWebhook(webhook) }
    }

    /// The webhooks of a project, oldest first.
    public func webhooks(
        inProject project: String
    ) async throws(TemplateStoreError) -> [StoredWebhook] {
        try access { $0.webhooks.webhooks(inProject: project) }
    }

    /// Removes a webhook with its deliveries; false when none has this identifier.
    public func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try access { contents throws(TemplateStoreError) in
            try contents.removeWebhook(id: id, inProject: project, actor: actor, date: date)
        }
    }

    /// The latest deliveries of a webhook, newest first.
    public func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) async throws(TemplateStoreError) -> [WebhookDelivery] {
        try access { $0.webhooks.deliveries(ofWebhook: id, inProject: project, limit: limit) }
    }

    /// Claims due deliveries, so that no other process sends them.
    public func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery] {
        try access { $0.webhooks.claim(date: date, until: end, limit: limit) }
    }

    /// True while a delivery has the claim with which it was returned.
    public func holdsClaim(
        of claimed: ClaimedDelivery, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try access { $0.webhooks.holdsClaim(of: claimed, date: date) }
    }

    /// The earliest time at which a delivery can be claimed.
    public func nextDeliveryDate() async throws(TemplateStoreError) -> Date? {
        try access { $0.webhooks.nextDeliveryDate }
    }

    /// Stores the result of an attempt at a claimed delivery.
    public func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError) {
        try access { $0.webhooks.finish(attempt) }
    }
}

extension InMemoryTemplateStore {
    /// Adds a batch to the usage of a project.
    public func recordUsage(
        _ batch: UsageBatch, inProject project: String
    ) async throws(TemplateStoreError) {
        try access { contents in
            let known = contents.projects[project]?.usage
            let usage = known?.adding(batch, deletedVersion: contents.deletedVersions[project])
            if let usage { contents.projects[project]?.usage = usage }
        }
    }

    /// The usage of a project.
    public func usage(inProject project: String) async throws(TemplateStoreError) -> ProjectUsage {
        try access { $0.projects[project]?.usage ?? ProjectUsage() }
    }
}
