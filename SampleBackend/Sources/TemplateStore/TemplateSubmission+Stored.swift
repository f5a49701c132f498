import Templates

extension TemplateSubmission {
    /// The submission as it is stored.
    ///
    /// - Parameters:
    ///   - number: The version's number.
    ///   - revision: The revision of the publish.
    /// - Returns: The template.
    package func stored(asVersion number: Int, revision: StoreRevision) -> StoredTemplate {
        StoredTemplate(
            project: project,
            version: TemplateVersion(
                number: number, updateTime: date.roundedToMilliseconds, updateUser: user,
                description: description, updateOrigin: origin, updateType: updateType,
                rollbackSource: rollbackSource),
            content: content, revision: revision)
    }

    /// Checks that the current version is the expected one.
    ///
    /// - Parameter current: The current version, 0 when there is none.
    /// - Throws: ``TemplateStoreError`` with the code `versionMismatch`.
    package func checkExpectation(current: Int) throws(TemplateStoreError) {
        if case .version(let expected) = expectation, expected != current {
            throw .versionMismatch(expected: expected, current: current, inProject: project)
        }
    }
}
