import ConfigServer
import Foundation
import HTTPTypes
import Logging
import NIOCore
import TemplateStore

/// A type that has the template which shows what templates can do.
enum SampleTemplate: Sendable {
    /// The template, UTF-8 JSON.
    static var jsonData: Data { Data(PackageResources.SampleTemplate_json) }

    /// Publishes the template in the project `default`, unless something was published there.
    ///
    /// - Parameters:
    ///   - store: Where templates are kept.
    ///   - logger: Where faults are named.
    /// - Throws: `TemplateStoreError`.
    static func publishIfNeeded(in store: any TemplateStore, logger: Logger) async throws {
        let administration = try await LocalAdministration(
            store: store, administratorName: "dev", logger: logger)
        let answer = await administration.answer(
            method: .put, path: "/v1/projects/default/remoteConfig",
            headerFields: [.ifMatch: "etag-default-0"], body: ByteBuffer(bytes: jsonData))
        // 412: something was published already, here or by another process just now.
        guard answer.status == .ok || answer.status == .preconditionFailed else {
            throw TemplateStoreError(.unavailable, String(buffer: answer.body))
        }
    }
}
