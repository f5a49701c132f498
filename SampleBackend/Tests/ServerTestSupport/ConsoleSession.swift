import Foundation
import JSONTree

/// Session of the console, as a browser stores it.
package struct ConsoleSession: Sendable {
    /// Cookie as in the field `Cookie`.
    package let cookie: String

    /// Value of `X-CSRF-Token`.
    package let proof: String

    /// Header fields of a request that only reads.
    package var fields: [String] { ["Cookie: other=1; \(cookie)"] }

    /// Header fields of a request that changes something.
    package var changingFields: [String] { fields + ["X-CSRF-Token: \(proof)"] }

    /// The response starts no session.
    package struct NoSession: Error {
        package let answer: HTTPAnswer
    }

    /// Extracts the session from the response to signing in; throws ``NoSession`` if it contains
    /// none.
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
    /// Signs in to the console, and throws ``ConsoleSession/NoSession`` if the server refuses.
    package func signIn(
        token: String = Self.administratorToken, fields: [String] = []
    ) async throws -> ConsoleSession {
        try ConsoleSession(
            await administer(
                "POST", "/console/session", body: ["token": .string(token)], token: nil,
                fields: fields))
    }
}
