import Foundation
import Logging
import Rendering
import Targeting
import Templates

extension TemplateLibrary {
    /// Parses the overrides of users, by the UTF-8 bytes of their IDs.
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

    /// Parses the overrides of a user; nil when they cannot be read, which is logged.
    func overrides(_ content: Data, of project: String) -> OverridesDocument? {
        do {
            return try OverridesDocument(jsonData: content)
        } catch {
            logger.error(
                "Stored overrides cannot be read; they do not count",
                metadata: ["project": "\(project)", "error": "\(error)"])
            return nil
        }
    }
}
