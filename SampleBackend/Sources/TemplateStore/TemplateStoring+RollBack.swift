public import Foundation
public import Templates

/// Maximum number of attempts to roll back from any version while others publish.
private let rollbackAttempts = 16

extension TemplateStoring {
    /// Publishes the content of an older version as a new version.
    ///
    /// A rollback from a given version succeeds only while that version is current; the publish
    /// checks this atomically. A rollback from any version is retried a few times if another
    /// publish interferes.
    ///
    /// - Parameters:
    ///   - number: The version to return to, less than the current one.
    ///   - project: The project's name.
    ///   - expectation: The version to replace.
    ///   - user: The person or program that rolls back.
    ///   - description: The reason, as the description of the new version.
    ///   - date: The time of the rollback.
    ///   - origin: The interface through which it is made.
    ///   - approval: The grounds for a publish in a protected project.
    /// - Returns: The new version.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing`; `versionMissing` when the
    ///   version is not stored or not older than the current one; `versionMismatch` when the
    ///   current
    ///   version is not the expected one, or others keep publishing.
    public func rollBack(
        to number: Int, inProject project: String,
        expecting expectation: TemplateSubmission.Expectation = .any, user: TemplateVersion.User,
        description: String? = nil, date: Date, origin: TemplateVersion.Origin = .restAPI,
        approval: PublishApproval = .none
    ) async throws(TemplateStoreError) -> StoredTemplate {
        var mismatch: TemplateStoreError?
        for _ in 0..<rollbackAttempts {
            let newest = try await versions(inProject: project, matching: VersionQuery(limit: 1))
            guard let current = newest.versions.first?.number else {
                // A project without a version has nothing to return to.
                guard try await template(version: nil, inProject: project) != nil else {
                    throw .projectMissing(project)
                }
                throw TemplateStoreError(
                    .versionMissing,
                    "Nothing has been published in the project '\(project)' yet, so there is no "
                        + "version to return to.")
            }
            if case .version(let expected) = expectation, expected != current {
                throw .versionMismatch(expected: expected, current: current, inProject: project)
            }
            guard number < current else {
                throw TemplateStoreError(
                    .versionMissing,
                    "A rollback needs a version before the current one, \(current), of the "
                        + "project '\(project)'; give a number lower than \(current).")
            }
            guard let target = try await template(version: number, inProject: project) else {
                throw TemplateStoreError(
                    .versionMissing,
                    "Version \(number) of the project '\(project)' is not stored; list the "
                        + "versions to see which are stored.")
            }
            let submission = TemplateSubmission(
                project: project, content: target.content, expectation: .version(current),
                date: date, user: user, description: description, origin: origin,
                updateType: .rollback, sourceVersion: number, approval: approval)
            do {
                return try await publish(submission)
            } catch {
                guard error.code == .versionMismatch, expectation == .any else { throw error }
                mismatch = error
            }
        }
        throw mismatch ?? .projectMissing(project)
    }
}
