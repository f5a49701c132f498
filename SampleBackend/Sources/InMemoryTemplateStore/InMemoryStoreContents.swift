import Foundation
import TemplateStore
import Templates

/// The contents of an ``InMemoryTemplateStore``, and the rules for changing them.
struct InMemoryStoreContents {
    struct Project {
        /// The empty template with which the project was created; nil when a publish created it.
        var created: StoredTemplate?
        /// The published versions, oldest first.
        var versions: [StoredTemplate] = []
        /// The pinned values by the UTF-8 bytes of the user ID.
        var overrides: [Data: Data] = [:]
        /// Nil until they are set.
        var details: StoredProjectDetails?
        var usage = ProjectUsage()

        var current: StoredTemplate? { versions.last ?? created }
        var isArchived: Bool { details?.details.isArchived ?? false }
    }

    /// The last versions of deleted projects.
    var deletedVersions = ByName<Int>()
    /// The floor of the version numbers; 0 until it is raised.
    var versionFloor = 0
    var projects = ByName<Project>()
    /// All tokens, oldest first.
    var tokens: [StoredToken] = []
    /// The sessions by identifier.
    var sessions: [String: StoredSession] = [:]  // names: IDs of sessions are made here
    var webhooks = InMemoryWebhooks()
    var drafts = DraftTable()
    /// The change requests by project, which outlive it.
    var changeRequests = ByName<[StoredChangeRequest]>()
    /// The audit trail, oldest first.
    private(set) var audit: [AuditEntry] = []
    /// The newest changes, oldest first.
    private var log: [StoreChange] = []
    /// Number of changes to keep.
    private let keptChanges: Int
    /// The revision of the last change.
    private(set) var revision = StoreRevision.zero

    init(keptChanges: Int) { self.keptChanges = keptChanges }

    var nextRevision: StoreRevision { StoreRevision(revision.number + 1) }

    /// Records a change and its audit entry.
    mutating func record(_ subject: StoreChange.Subject, _ entry: AuditEntry) {
        revision = entry.revision
        audit.append(entry)
        log.append(StoreChange(subject, revision: entry.revision))
        // Rarely, since it moves the remaining changes.
        if log.count >= 2 * keptChanges { log.removeFirst(log.count - keptChanges) }
    }

    /// Publishes a template as the next version if the current version is the expected one.
    mutating func publish(
        _ submission: TemplateSubmission
    ) throws(TemplateStoreError) -> StoredTemplate {
        let current = projects[submission.project]?.current?.version.number
        try checkIsNotArchived(submission.project)
        try submission.checkExpectation(
            current: current ?? 0,
            isPublished: projects[submission.project]?.versions.isEmpty == false)
        let deletedVersion = deletedVersions[submission.project]
        let number = VersionFloor.nextVersion(
            after: current, deleted: deletedVersion, floor: versionFloor)
        let request = try gate(for: submission).check(publishing: number)
        let template = submission.stored(
            asVersion: number,
            revision: nextRevision, deletedVersion: deletedVersion)
        var versions = projects[submission.project]?.versions ?? []
        versions.append(template)
        if versions.count > TemplateStoreLimits.keptVersions { versions.removeFirst() }
        projects[submission.project, default: Project()].versions = versions
        record(
            .template(project: submission.project, version: template.version.number),
            AuditEntry(of: template))
        if let request { replace(request) }
        webhooks.enqueue(
            WebhookEvent.events(of: template.version, publishing: request, over: current),
            inProject: submission.project, date: template.version.updateTime)
        return template
    }

    /// A version of a project's template; nil means the current one.
    func template(version: Int?, inProject project: String) -> StoredTemplate? {
        guard let version else { return projects[project]?.current }
        let versions = projects[project]?.versions ?? []
        return versions.first { $0.version.number == version }
            ?? projects[project]?.created.flatMap { $0.version.number == version ? $0 : nil }
    }

    /// The versions of a project, newest first.
    func versions(inProject project: String, matching query: VersionQuery) -> VersionPage {
        let limit = min(max(query.limit, 1), TemplateStoreLimits.keptVersions)
        let start = query.startTime?.roundedToMilliseconds
        let end = query.endTime?.roundedToMilliseconds
        let found = (projects[project]?.versions ?? []).reversed().lazy.map(\.version).filter {
            version in
            version.number <= query.endVersion ?? .max
                && start.map { $0 <= version.updateTime } ?? true
                && end.map { version.updateTime < $0 } ?? true
        }
        let page = Array(found.prefix(limit + 1))
        return VersionPage(
            versions: Array(page.prefix(limit)),
            nextVersion: page.count > limit ? page.last?.number : nil)
    }

    /// Pins values for a user, or removes them.
    mutating func setOverrides(_ change: OverridesChange) throws(TemplateStoreError) {
        guard let project = projects[change.project] else { throw .projectMissing(change.project) }
        try checkIsNotArchived(change.project)
        let user = Data(change.userID.utf8)
        let before = project.overrides[user]
        let isPinned = before != nil
        try change.checkExpectation(before)
        if change.content == nil, !isPinned { return }
        if !isPinned, project.overrides.count >= TemplateStoreLimits.usersWithOverrides {
            throw .tooManyOverrides(inProject: change.project)
        }
        projects[change.project]?.overrides[user] = change.content
        record(
            .overrides(project: change.project, userID: change.userID),
            AuditEntry(of: change, replacing: before, revision: nextRevision))
    }

    func overrides(forUserID userID: String, inProject project: String) -> Data? {
        projects[project]?.overrides[Data(userID.utf8)]
    }

    /// Replaces the details of a project if the stored ones are as expected.
    mutating func setProjectDetails(
        _ change: ProjectDetailsChange
    ) throws(TemplateStoreError) -> StoredProjectDetails {
        guard let current = projectDetails(ofProject: change.project) else {
            throw .projectMissing(change.project)
        }
        try change.checkExpectation(current)
        if change.details == current.details { return current }
        let stored = StoredProjectDetails(change.details, revision: nextRevision)
        projects[change.project]?.details = stored
        record(
            .projectDetails(project: change.project),
            AuditEntry(of: change, revision: stored.revision))
        return stored
    }

    func projectDetails(ofProject project: String) -> StoredProjectDetails? {
        projects[project].map { $0.details ?? StoredProjectDetails() }
    }

    /// The data that a server needs to answer clients.
    func snapshot() -> TemplateStoreSnapshot {
        var snapshot = TemplateStoreSnapshot(
            templates: projects.values.compactMap(\.current)
                .sorted { $0.project < $1.project },
            overrides: projects.byString { $0.overrides.isEmpty ? nil : $0.overrides },
            projectDetails: projects.byString(\.details),
            revision: revision)
        snapshot.deletedVersions = deletedVersions.byString { $0 }
        snapshot.versionFloor = versionFloor
        return snapshot
    }

    /// The changes after a revision, in order.
    func changes(after position: StoreRevision) throws(TemplateStoreError) -> [StoreChange] {
        // Revisions have no gaps here, so the number determines the index in the log.
        let missed = revision.number - position.number
        guard missed >= 0, missed <= log.count else {
            throw .watchLost(after: position, latest: revision)
        }
        return Array(log.suffix(Int(missed)))
    }

    /// The audit trail of a project and the server, newest first.
    func auditEntries(inProject project: String, matching query: AuditQuery) -> [AuditEntry] {
        let found = audit.reversed().lazy.filter { entry in
            (entry.project?.utf8.elementsEqual(project.utf8) ?? true)
                && query.before.map { entry.revision < $0 } ?? true
                && query.actions?.contains(entry.action) ?? true
        }
        return Array(found.prefix(min(max(query.limit, 1), TemplateStoreLimits.auditPage)))
    }

    /// Stores a new access token.
    mutating func addToken(
        _ token: StoredToken, actor: String
    ) throws(TemplateStoreError) {
        try token.checkIsNew(among: tokens)
        tokens.append(token.roundedToMilliseconds)
        record(.tokens, AuditEntry(ofNew: token, actor: actor, revision: nextRevision))
    }

    /// Revokes a token permanently; false when no token has this identifier.
    mutating func revokeToken(id: String, actor: String, date: Date) -> Bool {
        guard let index = tokens.firstIndex(where: { $0.id == id }) else { return false }
        guard tokens[index].revocationDate == nil else { return true }
        tokens[index].revocationDate = date.roundedToMilliseconds
        sessions = sessions.filter { $0.value.tokenID != id }
        record(
            .tokens,
            AuditEntry(
                ofRevoked: tokens[index].name, actor: actor, date: date, revision: nextRevision))
        return true
    }

    /// Records the last use of a token.
    mutating func recordUse(ofToken id: String, date: Date) {
        guard let index = tokens.firstIndex(where: { $0.id == id }) else { return }
        let last = tokens[index].lastUseDate ?? .distantPast
        let pause = Double(TemplateStoreLimits.secondsBetweenRecordedUses)
        if date.timeIntervalSince(last) < pause { return }
        tokens[index].lastUseDate = date.roundedToMilliseconds
    }

    /// Stores a new session, and removes sessions that have expired by its creation.
    mutating func addSession(
        _ session: StoredSession, actor: String
    ) throws(TemplateStoreError) {
        let lasting = sessions.filter { $0.value.expirationDate > session.creationDate }
        if lasting.values.contains(where: { $0.id == session.id || $0.hash == session.hash }) {
            throw .tokenExists(id: session.id)
        }
        sessions = lasting
        sessions[session.id] = session
        record(
            .session(id: session.id),
            AuditEntry(ofNew: session, actor: actor, revision: nextRevision))
    }

    /// Ends and removes a session; false when none has this identifier.
    mutating func removeSession(id: String, actor: String, date: Date) -> Bool {
        guard let session = sessions.removeValue(forKey: id) else { return false }
        record(
            .session(id: id),
            AuditEntry(ofRevoked: session.name, actor: actor, date: date, revision: nextRevision))
        return true
    }

    /// Adds an entry for failed attempts to sign in.
    mutating func recordFailedSignIns(_ failed: FailedSignIns) {
        record(.failedSignIns, AuditEntry(of: failed, revision: nextRevision))
    }

    mutating func addWebhook(_ webhook: StoredWebhook) throws(TemplateStoreError) {
        guard let current = template(version: nil, inProject: webhook.project) else {
            throw .projectMissing(webhook.project)
        }
        try checkIsNotArchived(webhook.project)
        let stored = try webhooks.add(webhook, currentVersion: current.version.number)
        record(
            .webhooks(project: stored.project), AuditEntry(ofNew: stored, revision: nextRevision))
    }

    /// Removes a webhook with its deliveries; false when none has this identifier.
    mutating func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) throws(TemplateStoreError) -> Bool {
        try checkIsNotArchived(project)
        guard let webhook = webhooks.remove(id: id, inProject: project) else { return false }
        record(
            .webhooks(project: project),
            AuditEntry(ofRemoved: webhook, actor: actor, date: date, revision: nextRevision))
        return true
    }
}

/// Values by the bytes of names.
///
/// Swift strings are equal when they are canonically equivalent: the Kelvin sign is "K".
struct ByName<Value: Sendable>: Sendable {
    private var entries: [Data: Value] = [:]

    var values: some Collection<Value> { entries.values }

    /// All names with their values, in any order.
    var all: [(name: String, value: Value)] {
        entries.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
    }

    subscript(name: String) -> Value? {
        get { entries[Data(name.utf8)] }
        _modify { yield &entries[Data(name.utf8)] }
    }

    subscript(name: String, default value: @autoclosure () -> Value) -> Value {
        get { entries[Data(name.utf8), default: value()] }
        _modify { yield &entries[Data(name.utf8), default: value()] }
    }

    /// Some of the values, for a table whose names are not canonically equivalent.
    func byString<Other>(_ transform: (Value) -> Other?) -> [String: Other] {
        var result: [String: Other] = [:]  // names: names of projects are ASCII
        for (name, value) in all { result[name] = transform(value) }
        return result
    }
}
