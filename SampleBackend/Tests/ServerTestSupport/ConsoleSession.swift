import Foundation
import JSONTree

/// A type that is a session of the console, as a browser keeps it.
package struct ConsoleSession: Sendable {
    /// The cookie, as it stands in the field `Cookie`.
    package let cookie: String

    /// The value of `X-CSRF-Token`.
    package let proof: String

    /// The fields of a request that only reads.
    package var fields: [String] { ["Cookie: other=1; \(cookie)"] }

    /// The fields of a request that changes something.
    package var changingFields: [String] { fields + ["X-CSRF-Token: \(proof)"] }

    /// What is missing in an answer.
    package struct NoSession: Error {
        /// The answer.
        package let answer: HTTPAnswer
    }

    /// Reads the answer to signing in.
    ///
    /// - Throws: ``NoSession`` when the answer begins none.
    package init(_ answer: HTTPAnswer) throws {
        guard answer.status == 200, let field = answer.fields["set-cookie"],
            let cookie = field.split(separator: ";").first,
            let proof = try answer.json["csrfToken"]?.stringValue
        else { throw NoSession(answer: answer) }
        self.cookie = String(cookie)
        self.proof = proof
    }
}

extension RunningServer {
    /// Signs in to the console.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - fields: Further fields.
    /// - Returns: The session.
    /// - Throws: ``ConsoleSession/NoSession`` when the server refuses, or what a connection throws.
    package func signIn(
        token: String = Self.administratorToken, fields: [String] = []
    ) async throws -> ConsoleSession {
        try ConsoleSession(
            await administer(
                "POST", "/console/session", body: ["token": .string(token)], token: nil,
                fields: fields))
    }
}
