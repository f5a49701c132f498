import Foundation
import TemplateStore
import Templates

extension StoreTrial {
    static func submission(
        _ content: String = "{}", expecting expectation: TemplateSubmission.Expectation = .any,
        inProject project: String = project, date: Date = date
    ) -> TemplateSubmission {
        TemplateSubmission(
            project: project, content: Data(content.utf8), expectation: expectation, date: date,
            user: TemplateVersion.User(name: "publisher"))
    }

    /// Publishes the content as the next version.
    @discardableResult
    func publish(
        _ content: String = "{}", expecting expectation: TemplateSubmission.Expectation = .any,
        inProject project: String = project, date: Date = date
    ) async throws(TemplateStoreError) -> StoredTemplate {
        try await store.publish(
            Self.submission(content, expecting: expectation, inProject: project, date: date))
    }

    /// Publishes the next version and expects the current one; retries while other publishes
    /// interfere.
    static func publishWithRetry(
        in store: any TemplateStore, _ content: String
    ) async throws(TemplateStoreError) -> StoredTemplate {
        var current = 0
        // More attempts than other publishes in any check.
        for _ in 0..<10_000 {
            do {
                return try await store.publish(
                    submission(content, expecting: .version(current)))
            } catch {
                guard error.code == .versionMismatch, let found = error.currentVersion else {
                    throw error
                }
                current = found
            }
        }
        return try await store.publish(submission(content, expecting: .version(current)))
    }

    /// Pins values for a user, or removes them.
    func pin(
        _ content: String?, forUserID userID: String,
        expecting expectation: StateExpectation = .any, inProject project: String = project
    ) async throws(TemplateStoreError) {
        try await store.setOverrides(
            OverridesChange(
                project: project, userID: userID, content: content.map { Data($0.utf8) },
                expectation: expectation, date: Self.date, actor: "supporter"))
    }

    static func token(_ name: String, owner: String? = nil) -> StoredToken {
        StoredToken(
            id: "id of \(name)", name: name, role: .editor, owner: owner,
            creator: owner, identity: owner.map { "identity of \($0)" },
            hash: Data("hash of \(name)".utf8), creationDate: date, expirationDate: date + 3_600)
    }

    /// A session that lasts one hour from `date`.
    static func session(
        _ name: String, date: Date = date, person: SignedInPerson? = nil
    ) -> StoredSession {
        StoredSession(
            id: "id of \(name)", tokenID: "token of \(name)", name: name, role: .editor,
            person: person, hash: Data("hash of \(name)".utf8), creationDate: date,
            expirationDate: date + 3_600)
    }

    static let person = SignedInPerson(
        issuer: "https://login.example", subject: "1", address: "ada@shop.example",
        groups: ["editors"])

    static func webhook(
        _ name: String, inProject project: String = project,
        topics: Set<WebhookEvent.Topic> = [.publish]
    ) -> StoredWebhook {
        StoredWebhook(
            id: "id of \(name)", project: project, url: "https://\(name)",
            secret: "secret of \(name)", creationDate: date, creator: "root", topics: topics)
    }

    func revision() async throws(TemplateStoreError) -> StoreRevision {
        try await store.snapshot().revision
    }

    static func text(_ content: Data?) -> String? {
        content.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension StoreTrial {
    /// Publishes a first version, and adds webhooks to its project.
    func addWebhooks(_ names: String...) async throws {
        try await publish()
        for name in names { try await store.addWebhook(Self.webhook(name)) }
    }

    /// The deliveries of a webhook, newest first.
    func deliveries(of name: String) async throws -> [WebhookDelivery] {
        try await reopen().deliveries(
            ofWebhook: "id of \(name)", inProject: Self.project, limit: 1_000)
    }

    /// Claims the deliveries due `seconds` after the first publish, for 30 seconds.
    func claim(
        at seconds: TimeInterval = 0, limit: Int = 1_000, in other: (any TemplateStore)? = nil
    ) async throws -> [ClaimedDelivery] {
        let date = Self.date + seconds
        return try await (other ?? store).claimDeliveries(
            date: date, until: date + 30, limit: limit)
    }

    /// Reports the result of an attempt `seconds` after the first publish.
    func finish(
        _ claimed: ClaimedDelivery, _ outcome: DeliveryAttempt.Outcome, statusCode: Int? = nil,
        error: String? = nil, at seconds: TimeInterval = 0
    ) async throws {
        try await store.finish(
            DeliveryAttempt(
                at: claimed, outcome: outcome, statusCode: statusCode, error: error,
                date: Self.date + seconds))
    }

    func only(_ claimed: [ClaimedDelivery]) throws -> ClaimedDelivery {
        guard let first = claimed.first, claimed.count == 1 else {
            throw TemplateStoreConformanceFailure(
                rule: "One delivery is due.", finding: "\(claimed.count) are.")
        }
        return first
    }
}
