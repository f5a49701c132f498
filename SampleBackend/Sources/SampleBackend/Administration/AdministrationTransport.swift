import Foundation
import JSONTree

/// A type that carries the requests of administrators to where they are answered.
protocol AdministrationTransport: Sendable {
    /// Sends a request and waits for its answer, whatever its status.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answer.
    /// - Throws: A ``CommandFailure`` when there is none.
    func send(_ request: AdministrationRequest) async throws -> AdministrationAnswer
}

/// A type that is one request of an administrator (HTTP 3).
struct AdministrationRequest: Sendable {
    /// The method.
    var method = "GET"

    /// The path and the query, percent-encoded.
    let path: String

    /// The value of `If-Match`.
    var ifMatch: String?

    /// The body.
    var body: Data?
}

/// A type that is the answer to one request of an administrator.
struct AdministrationAnswer: Sendable {
    /// The status code.
    let status: Int

    /// The value of `ETag`.
    let entityTag: String?

    /// The values of `Warning`.
    let warnings: [String]

    /// The body.
    let body: Data
}

extension AdministrationTransport {
    /// Sends a request, and gives the answer of one that was done.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - template: The template that is in it, to show the places of its problems.
    /// - Returns: The answer.
    /// - Throws: A ``CommandFailure`` that says what the server said.
    func perform(
        _ request: AdministrationRequest, template: JSONNode? = nil
    ) async throws -> AdministrationAnswer {
        let answer = try await send(request)
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(answer, template: template)
        }
        return answer
    }

    /// Sends a request, and gives the JSON of an answer to one that was done.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - template: The template that is in it, to show the places of its problems.
    /// - Returns: The body.
    /// - Throws: A ``CommandFailure`` that says what the server said.
    func json(
        _ request: AdministrationRequest, template: JSONNode? = nil
    ) async throws -> JSONNode {
        try await perform(request, template: template).json
    }
}

extension AdministrationAnswer {
    /// The body as JSON.
    var json: JSONNode {
        get throws {
            do {
                return try JSONNode(jsonData: body)
            } catch {
                throw CommandFailure(
                    "The server answered with something else than JSON: check --server.",
                    code: Exit.unavailable)
            }
        }
    }
}
