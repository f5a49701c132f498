package import Foundation
import Templates

// What every engine writes to the trail for a change.
extension AuditEntry {
    /// The entry of a publish or a rollback.
    package init(of template: StoredTemplate) {
        let version = template.version
        let source = version.rollbackSource.map { "version \($0) again" }
        let isRollback = version.updateType == .rollback
        self.init(
            revision: template.revision, project: template.project, date: version.updateTime,
            actor: version.updateUser.name ?? version.updateUser.email ?? "",
            action: isRollback ? .rollback : .publish, subject: version.number.description,
            detail: version.description ?? (isRollback ? source : nil))
    }

    /// The entry of a change of overrides.
    package init(of change: OverridesChange, revision: StoreRevision) {
        self.init(
            revision: revision, project: change.project, date: change.date.roundedToMilliseconds,
            actor: change.actor,
            action: change.content == nil ? .removeOverrides : .setOverrides,
            subject: change.userID)
    }

    /// The entry of a token that was made.
    package init(ofNew token: StoredToken, actor: String, revision: StoreRevision) {
        self.init(
            revision: revision, project: nil, date: token.creationDate.roundedToMilliseconds,
            actor: actor, action: .createToken, subject: token.name, detail: token.role.rawValue)
    }

    /// The entry of a token that was revoked.
    ///
    /// - Parameters:
    ///   - name: The token's name.
    ///   - actor: Who says so.
    ///   - date: When.
    ///   - revision: The revision of the change.
    package init(ofRevoked name: String, actor: String, date: Date, revision: StoreRevision) {
        self.init(
            revision: revision, project: nil, date: date.roundedToMilliseconds, actor: actor,
            action: .revokeToken, subject: name)
    }

    /// The entry of a webhook that was made.
    package init(ofNew webhook: StoredWebhook, revision: StoreRevision) {
        self.init(
            revision: revision, project: webhook.project,
            date: webhook.creationDate.roundedToMilliseconds, actor: webhook.creator,
            action: .createWebhook, subject: webhook.id, detail: webhook.url)
    }

    /// The entry of a webhook that was removed.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - actor: Who says so.
    ///   - date: When.
    ///   - revision: The revision of the change.
    package init(
        ofRemoved webhook: StoredWebhook, actor: String, date: Date, revision: StoreRevision
    ) {
        self.init(
            revision: revision, project: webhook.project, date: date.roundedToMilliseconds,
            actor: actor, action: .removeWebhook, subject: webhook.id, detail: webhook.url)
    }
}
