public import Foundation
public import Templates

/// How often a rollback is tried while others publish.
private let rollbackAttempts = 16

extension TemplateStore {
    /// Publishes the content of an older version again, as a new version.
    ///
    /// When somebody else publishes at the same time it is tried again, a few times.
    ///
    /// - Parameters:
    ///   - number: The version to go back to, less than the current one.
    ///   - project: The project's name.
    ///   - user: Who says so.
    ///   - date: The time of the rollback.
    /// - Returns: The new version.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing`; `versionMissing` when the
    ///   version is not kept or not older than the current one; `versionMismatch` when others
    ///   publish without a pause.
    public func rollBack(
        to number: Int, inProject project: String, user: TemplateVersion.User, date: Date
    ) async throws(TemplateStoreError) -> StoredTemplate {
        var mismatch: TemplateStoreError?
        for _ in 0..<rollbackAttempts {
            let newest = try await versions(inProject: project, matching: VersionQuery(limit: 1))
            guard let current = newest.versions.first?.number else {
                throw .projectMissing(project)
            }
            guard number < current else {
                throw TemplateStoreError(
                    .versionMissing,
                    "A rollback goes to a version before the current one, \(current), of the "
                        + "project '\(project)'; \(number) is not; give a lower number.")
            }
            guard let target = try await template(version: number, inProject: project) else {
                throw TemplateStoreError(
                    .versionMissing,
                    "Version \(number) of the project '\(project)' is not kept; list the versions "
                        + "to see which are.")
            }
            let submission = TemplateSubmission(
                project: project, content: target.content, expectation: .version(current),
                date: date, user: user, updateType: .rollback, rollbackSource: number)
            do {
                return try await publish(submission)
            } catch {
                guard error.code == .versionMismatch else { throw error }
                mismatch = error
            }
        }
        throw mismatch ?? .projectMissing(project)
    }
}
