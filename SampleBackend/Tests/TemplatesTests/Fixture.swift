import Foundation
import JSONTree
import Templates
import Testing

/// A file that the tests read.
enum Fixture: String, CaseIterable, CustomTestStringConvertible {
    /// Every kind of value and of condition of a client template.
    case clientTemplate = "client-template"
    /// A server template.
    case serverTemplate = "server-template"
    /// The answer of Parse's `GET /config` with the master key.
    case parseConfig = "parse-config"

    /// The file's text.
    var data: Data {
        get throws {
            let url = try #require(
                Bundle.module.url(
                    forResource: rawValue, withExtension: "json", subdirectory: "Fixtures"))
            return try Data(contentsOf: url)
        }
    }

    /// The file, read.
    var json: JSONNode {
        get throws { try JSONNode(jsonData: data) }
    }

    /// The file's name.
    var testDescription: String { rawValue }
}

extension RemoteConfigTemplate {
    /// A template of its JSON text, checked.
    static func make(_ json: String) throws -> RemoteConfigTemplate {
        try ValidatedTemplate(jsonData: Data(json.utf8)).template
    }
}

/// What is wrong with a template, or nothing.
func problems(of json: String, limits: TemplateLimits = .default) -> [TemplateProblem] {
    do throws(TemplateValidationError) {
        _ = try ValidatedTemplate(jsonData: Data(json.utf8), limits: limits)
        return []
    } catch {
        return error.problems
    }
}
