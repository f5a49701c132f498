import Foundation
package import JSONTree

extension RunningServer {
    /// Sends one request as an administrator, on a connection of its own.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path and the query.
    ///   - body: The body; nil sends none.
    ///   - token: The token; nil sends none.
    ///   - fields: Further fields.
    /// - Returns: The response.
    /// - Throws: What a connection throws.
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

    /// Publishes a template, over whatever there is.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - project: The project.
    ///   - ifMatch: The tag of the version to replace; `*` for whatever there is.
    /// - Returns: The response.
    /// - Throws: What a connection throws.
    @discardableResult
    package func publish(
        _ template: JSONNode, project: String = "default", ifMatch: String = "*"
    ) async throws -> HTTPAnswer {
        try await administer(
            "PUT", "/v1/projects/\(project)/remoteConfig", body: template,
            fields: ["If-Match: \(ifMatch)"])
    }

    /// The document of a user.
    ///
    /// - Parameter target: The path and the query.
    /// - Returns: The document.
    /// - Throws: What a connection throws, or what is wrong with the document.
    package func document(_ target: String) async throws -> JSONNode {
        try await answer(target).json
    }
}

extension HTTPAnswer {
    /// The body as JSON.
    package var json: JSONNode {
        get throws { try JSONNode(jsonData: body) }
    }
}
