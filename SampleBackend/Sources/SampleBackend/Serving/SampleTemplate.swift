import ConfigServer
import Foundation
import HTTPTypes
import Logging
import NIOCore
import TemplateStore

/// A template that demonstrates the features of templates.
enum SampleTemplate: Sendable {
    /// UTF-8 JSON.
    static let jsonData = EmbeddedFiles.files["SampleTemplate.json"] ?? Data()

    /// Publishes the template in the project `default`, unless the project has a version already, or
    /// was deleted.
    ///
    /// - Throws: `TemplateStoreError`.
    static func publishIfNeeded(in store: any TemplateStore, logger: Logger) async throws {
        let deletions = try await store.auditEntries(
            inProject: "default", matching: AuditQuery(limit: 1, actions: [.deleteProject]))
        guard deletions.isEmpty else { return }
        let administration = try await LocalAdministration(
            store: store, administratorName: "dev", logger: logger)
        let answer = await administration.answer(
            method: .put, path: "/v1/projects/default/remoteConfig",
            headerFields: [.ifMatch: #""etag-default-0""#], body: ByteBuffer(bytes: jsonData))
        // 412: this process or another one has published a version already.
        guard answer.status == .ok || answer.status == .preconditionFailed else {
            throw TemplateStoreError(.unavailable, String(buffer: answer.body))
        }
    }
}
