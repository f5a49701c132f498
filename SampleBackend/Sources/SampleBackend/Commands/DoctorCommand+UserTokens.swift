import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Logging

extension DoctorCommand {
    /// Reports whether a user's JWT is valid, or why a server rejects it.
    ///
    /// - Throws: `ValidationError` when the keys cannot be used, ``CommandFailure`` when the token
    ///   cannot be read.
    func explain(_ token: Secret) async throws -> [DoctorFinding] {
        let logger = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
        guard let verifier = try await userTokens.verifier(logger: logger) else { return [] }
        // A copied token, or one from $(cat file), can have a line end.
        let text =
            (token.text == "-"
            ? String(decoding: try InputFile.data("-"), as: UTF8.self) : token.text)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        do throws(UserTokenRefusal) {
            let valid = try await verifier.checkedToken(text, at: Date())
            let user = JSONNode.string(valid.userID).description
            let end = valid.expirationDate.map { "until \($0.timestamp)" } ?? "without expiry"
            return [DoctorFinding("user token", .fine, "it is for user \(user), valid \(end)")]
        } catch {
            return [DoctorFinding("user token", .failed, "it is refused: \(error)")]
        }
    }
}
