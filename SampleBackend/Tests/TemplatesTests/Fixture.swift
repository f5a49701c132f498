import Foundation
import JSONTree
import Templates
import Testing

/// A fixture file.
enum Fixture: String, CaseIterable, CustomTestStringConvertible {
    /// Client template with every kind of value and condition.
    case clientTemplate = "client-template"
    case serverTemplate = "server-template"
    /// Response to Parse's `GET /config` with the master key.
    case parseConfig = "parse-config"
    /// Response to LaunchDarkly's `GET /api/v2/flags/PROJECT?env=production&summary=0`, with the
    /// segments of the environment.
    case launchDarklyAnswer = "launchdarkly-answer"
    /// Data of LaunchDarkly's server-side SDKs.
    case launchDarklyData = "launchdarkly-data"
    /// Orders of names before and after a merge; the console's tests read this file too.
    case mergedOrders = "merged-orders"
    /// Names that the console declares; its tests read this file too.
    case templateNames = "template-names"
    /// Paths of settings; the console's tests read this file too.
    case templatePaths = "template-paths"

    /// Merges of templates; the console's tests read this file too.
    case templateMerges = "template-merges"

    var data: Data {
        get throws {
            let url = try #require(
                Bundle.module.url(
                    forResource: rawValue, withExtension: "json", subdirectory: "Fixtures"))
            return try Data(contentsOf: url)
        }
    }

    var json: JSONNode {
        get throws { try JSONNode(jsonData: data) }
    }

    /// Elements of a list; fails if there are none.
    var rows: [JSONNode] {
        get throws {
            let rows = try #require(try json.arrayValue)
            try #require(!rows.isEmpty)
            return rows
        }
    }

    var testDescription: String { rawValue }
}

extension RemoteConfigTemplate {
    /// Validated template of a JSON text.
    static func make(_ json: String) throws -> RemoteConfigTemplate {
        try ValidatedTemplate(jsonData: Data(json.utf8)).template
    }
}

/// Problems of a template; empty if it is valid.
func problems(of json: String, limits: TemplateLimits = .default) -> [TemplateProblem] {
    do throws(TemplateValidationError) {
        _ = try ValidatedTemplate(jsonData: Data(json.utf8), limits: limits)
        return []
    } catch {
        return error.problems
    }
}
