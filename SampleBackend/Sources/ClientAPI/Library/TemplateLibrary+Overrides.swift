import Foundation
import JSONTree
import Logging
import NIOConcurrencyHelpers
import Rendering
package import TemplateStore
import Templates

extension TemplateLibrary {
    /// Parses the pinned values of users, keyed by the UTF-8 bytes of their IDs.
    func overrides(
        _ contents: [Data: Data], of project: String
    ) -> [ExactText: OverridesDocument] {
        var result: [ExactText: OverridesDocument] = [:]
        for (userID, content) in contents {
            result[ExactText(String(decoding: userID, as: UTF8.self))] = overrides(
                content, of: project)
        }
        return result
    }

    /// Parses the pinned values of a user; nil when they cannot be read, which is logged.
    func overrides(_ content: Data, of project: String) -> OverridesDocument? {
        do {
            return try OverridesDocument(jsonData: content)
        } catch {
            logger.error(
                "Stored pinned values cannot be read and are ignored",
                metadata: ["project": "\(project)", "error": "\(error)"])
            return nil
        }
    }

    /// Reads the pinned values of a user, and applies them unless a later read has already been
    /// applied.
    ///
    /// Also drops them if a deletion of the project was applied during the read: they may belong to
    /// the deleted project. The store's next changes have those of a new one.
    package func readOverrides(
        ofUser userID: String, inProject name: String
    ) async throws(TemplateStoreError) {
        try await readOverrides(ofUser: userID, inProject: name) {
            () throws(TemplateStoreError) in
            try await store.overrides(forUserID: userID, inProject: name)
        }
    }

    func readOverrides(
        ofUser userID: String, inProject name: String,
        by read: () async throws(TemplateStoreError) -> Data?
    ) async throws(TemplateStoreError) {
        let (number, deletedVersion) = state.withLockedValue {
            ($0.overridesReads.begin(), $0.deletedVersions[name])
        }
        defer { state.withLockedValue { $0.overridesReads.end() } }
        let overrides = try await read().flatMap { self.overrides($0, of: name) }
        let owner = OverridesOwner(project: name, userID: ExactText(userID))
        let before = state.withLockedValue { state -> OverridesDocument?? in
            guard state.deletedVersions[name] == deletedVersion,
                state.overridesReads.take(number, of: owner)
            else { return nil }
            let before = state.projects[name]?.overrides[owner.userID]
            state.projects[name] = state.projects[name]?.settingOverrides(
                overrides, forUserID: userID)
            return .some(before)
        }
        guard let before else { return }
        guard before != overrides else { return }
        notify(
            .overrides(
                project: name, userID: userID, sections: Self.sections(of: before, overrides)))
    }

    /// Notifies the observer of pinned values that differ from those of an earlier state of the
    /// project.
    func notifyOverrides(changedFrom before: PublishedProject, inProject name: String) {
        let now = project(name)?.overrides ?? [:]
        for userID in Set(before.overrides.keys).union(now.keys)
        where before.overrides[userID] != now[userID] {
            notify(
                .overrides(
                    project: name, userID: userID.text,
                    sections: Self.sections(of: before.overrides[userID], now[userID])))
        }
    }

    private static func sections(of overrides: OverridesDocument?...) -> Set<ExactText> {
        Set(overrides.flatMap { $0?.sections.keys.map(\.self) ?? [] })
    }
}
