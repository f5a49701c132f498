import Foundation
package import JSONTree

extension RunningServer {
    /// Sends one request as an administrator, on a connection of its own; `body` or `token` nil
    /// sends none.
    @discardableResult
    package func administer(
        _ method: String, _ target: String, body: JSONNode? = nil,
        token: String? = Self.administratorToken, fields: [String] = []
    ) async throws -> HTTPAnswer {
        let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
        return try await answer(
            target, method: method, fields: authorization + fields,
            body: body.map(\.description) ?? "")
    }

    /// Publishes a template over the version with the tag `ifMatch`, by default over any.
    @discardableResult
    package func publish(
        _ template: JSONNode, project: String = "default", ifMatch: String = "*"
    ) async throws -> HTTPAnswer {
        try await administer(
            "PUT", "/v1/projects/\(project)/remoteConfig", body: template,
            fields: ["If-Match: \(ifMatch)"])
    }

    /// Document of a user.
    package func document(_ target: String) async throws -> JSONNode {
        try await answer(target).json
    }
}

extension HTTPAnswer {
    package var json: JSONNode {
        get throws { try JSONNode(jsonData: body) }
    }
}
