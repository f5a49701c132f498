import Foundation
import TemplateStore
import Templates

extension StoreTrial {
    /// Makes a submission.
    static func submission(
        _ content: String = "{}", expecting expectation: TemplateSubmission.Expectation = .any,
        inProject project: String = project, date: Date = date
    ) -> TemplateSubmission {
        TemplateSubmission(
            project: project, content: Data(content.utf8), expectation: expectation, date: date,
            user: TemplateVersion.User(name: "publisher"))
    }

    /// Publishes as the next version.
    @discardableResult
    func publish(
        _ content: String = "{}", expecting expectation: TemplateSubmission.Expectation = .any,
        inProject project: String = project, date: Date = date
    ) async throws(TemplateStoreError) -> StoredTemplate {
        try await store.publish(
            Self.submission(content, expecting: expectation, inProject: project, date: date))
    }

    /// Publishes as the next version by reading the current one, as often as others are faster.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - content: The content.
    /// - Returns: The template.
    /// - Throws: ``TemplateStoreError``
    static func publishWithRetry(
        in store: any TemplateStore, _ content: String
    ) async throws(TemplateStoreError) -> StoredTemplate {
        var current = 0
        // As many attempts as there can be publishes of others in a check, and some more.
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
        _ content: String?, forUserID userID: String, inProject project: String = project
    ) async throws(TemplateStoreError) {
        try await store.setOverrides(
            OverridesChange(
                project: project, userID: userID, content: content.map { Data($0.utf8) },
                date: Self.date, actor: "supporter"))
    }

    /// Makes a token.
    static func token(_ name: String) -> StoredToken {
        StoredToken(
            id: "id of \(name)", name: name, role: .editor, hash: Data("hash of \(name)".utf8),
            creationDate: date, expirationDate: date + 3_600)
    }

    /// Makes a webhook.
    static func webhook(_ name: String, inProject project: String = project) -> StoredWebhook {
        StoredWebhook(
            id: "id of \(name)", project: project, url: "https://\(name)",
            secret: "secret of \(name)", creationDate: date, creator: "root")
    }

    /// The revision of what is stored.
    func revision() async throws(TemplateStoreError) -> StoreRevision {
        try await store.snapshot().revision
    }

    /// The text of a content.
    static func text(_ content: Data?) -> String? {
        content.map { String(decoding: $0, as: UTF8.self) }
    }
}
