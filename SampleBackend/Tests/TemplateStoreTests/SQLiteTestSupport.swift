import Foundation
import GRDB
import SQLiteTemplateStore
import TemplateStore
import Templates

/// Whole number of seconds.
let testDate = Date(timeIntervalSince1970: 1_700_000_000)

extension TemplateSubmission {
    /// Submission for the project `p`.
    static func make(
        _ content: String = "{}", expectation: Expectation = .any, date: Date = testDate
    ) -> TemplateSubmission {
        TemplateSubmission(
            project: "p", content: Data(content.utf8), expectation: expectation, date: date,
            user: TemplateVersion.User(name: "publisher"))
    }
}

extension OverridesChange {
    /// Change for the project `p`.
    static func make(
        _ content: String? = "{}", userID: String = "1"
    ) -> OverridesChange {
        OverridesChange(
            project: "p", userID: userID, content: content.map { Data($0.utf8) }, date: testDate,
            actor: "supporter")
    }
}

extension StoredToken {
    static func make(_ name: String = "t") -> StoredToken {
        StoredToken(
            id: "id of \(name)", name: name, role: .publisher, hash: Data(name.utf8),
            creationDate: testDate)
    }
}

/// Opens the database next to its store, as a person with a shell would.
func withDatabase<Value>(
    at path: String, _ body: (Database) throws -> Value
) throws -> Value {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction(body)
}

/// Store error that a call throws; nil if it throws none.
func storeError(
    _ body: () async throws -> Void
) async throws -> TemplateStoreError? {
    do {
        try await body()
        return nil
    } catch let error as TemplateStoreError {
        return error
    }
}
