import JSONTree
import Templates
import Testing

/// Names and paths that the console writes or compares like the server; its tests read the same
/// fixtures.
@Suite struct ConsoleFixtureTests {
    /// A setting, and its path in problems.
    struct PathRow: Sendable, CustomTestStringConvertible {
        /// The group; nil stands for the section of the parameters outside groups.
        let group: String?
        let key: String
        let path: String

        var testDescription: String { path.shortened }

        init(_ row: JSONNode) throws {
            group = row["group"]?.stringValue
            key = try #require(row["key"]?.stringValue)
            path = try #require(row["path"]?.stringValue)
        }
    }

    @Test(arguments: try Fixture.templatePaths.rows.map(PathRow.init))
    func aProblemNamesTheSettingAsTheConsoleDoes(row: PathRow) {
        var parameters = JSONNode.emptyObject
        parameters.setMember(row.key, ["valueType": "NONE"])
        var template: JSONNode = ["parameters": parameters]
        if let group = row.group {
            var groups = JSONNode.emptyObject
            groups.setMember(group, ["parameters": parameters])
            template = ["parameterGroups": groups]
        }
        let paths = problems(of: template.description).map(\.path)
        #expect(paths.contains("\(row.path).valueType"), "\(paths)")
    }

    /// Texts of a list of names.
    private func names(_ name: String) throws -> [String] {
        let names = try #require(try Fixture.templateNames.json[name]?.arrayValue)
        return names.compactMap(\.stringValue)
    }

    @Test func theConsoleHasTheTypesOfValues() throws {
        #expect(try names("valueTypes") == ParameterValueType.allCases.map(\.rawValue).sorted())
    }

    @Test func theConsoleHasTheColoursOfConditions() throws {
        let colors = try names("tagColors")
        for color in colors {
            let condition: JSONNode = [
                "name": "a", "expression": "true", "tagColor": .string(color),
            ]
            let template: JSONNode = ["conditions": [condition]]
            #expect(problems(of: template.description).isEmpty, "\(color)")
        }
        let refused = problems(
            of: #"{"conditions": [{"name": "a", "expression": "true", "tagColor": "NONE"}]}"#)
        // The unspecified color is not a choice.
        let known = (colors + ["CONDITION_DISPLAY_COLOR_UNSPECIFIED"]).sorted()
        #expect(refused.map(\.path) == ["conditions[0].tagColor"])
        #expect(
            refused.first?.message
                == "there is no colour \"NONE\"; use one of \(known.joined(separator: ", "))")
    }

    @Test func theConsoleHasTheNameOfTheDefaultSection() throws {
        let name = try Fixture.templateNames.json["defaultSection"]?.stringValue
        #expect(name == RemoteConfigTemplate.defaultSectionName)
    }
}
