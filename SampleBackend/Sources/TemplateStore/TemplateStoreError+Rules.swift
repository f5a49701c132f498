// The sentences that every engine says alike.
extension TemplateStoreError {
    /// That nothing was ever published in a project.
    package static func projectMissing(_ project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectMissing,
            "There is no project '\(project)': publish a template in it first.")
    }

    /// That a publisher expected another version.
    ///
    /// - Parameters:
    ///   - expected: The version that was expected.
    ///   - current: The current one, 0 when there is none.
    ///   - project: The project's name.
    /// - Returns: The error.
    package static func versionMismatch(
        expected: Int, current: Int, inProject project: String
    ) -> TemplateStoreError {
        TemplateStoreError(
            .versionMismatch,
            "The current version of the project '\(project)' is \(current), where \(expected) was "
                + "expected: read it, make the change to it and publish again.",
            currentVersion: current)
    }

    /// That values are pinned for as many users as there may be.
    package static func tooManyOverrides(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyOverrides,
            "Values are pinned for \(TemplateStoreLimits.usersWithOverrides) users of the project "
                + "'\(project)', which is the most: remove those of another user first.")
    }

    /// That a project has as many webhooks as it may have.
    package static func tooManyWebhooks(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyWebhooks,
            "The project '\(project)' has \(TemplateStoreLimits.webhooks) webhooks, which is the "
                + "most: remove another one first.")
    }

    /// That there is a token with the same identifier or hash.
    package static func tokenExists(id: String) -> TemplateStoreError {
        TemplateStoreError(
            .tokenExists,
            "There is a token with the identifier '\(id)' or its hash already: make another one.")
    }

    /// That a store was closed.
    package static var closed: TemplateStoreError {
        TemplateStoreError(.unavailable, "The store is closed: open it again.")
    }
}
