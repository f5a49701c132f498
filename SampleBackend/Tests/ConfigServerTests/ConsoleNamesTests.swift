import Foundation
import HTTPServing
import JSONTree
import TemplateStore
import Testing

@testable import AdminAPI

/// Names that the console declares, too; its tests read the same fixture.
@Suite struct ConsoleNamesTests {
    private static func fixture() throws -> JSONNode {
        let url = try #require(
            Bundle.module.url(
                forResource: "console-names", withExtension: "json", subdirectory: "Fixtures"))
        return try JSONNode(jsonData: Data(contentsOf: url))
    }

    private static func names(_ name: String) throws -> [String] {
        let names = try #require(try fixture()[name]?.arrayValue)
        try #require(!names.isEmpty)
        return try names.map { try #require($0.stringValue) }
    }

    @Test func theConsoleHasTheRolesInTheirOrder() throws {
        #expect(
            try Self.names("roles") == StoredToken.Role.allCases.sorted().map(\.rawValue))
    }

    @Test func theConsoleHasTheEnvironmentsAndColoursOfProjects() throws {
        #expect(
            try Self.names("environments")
                == ProjectDetails.Environment.allCases.map(\.rawValue))
        #expect(try Self.names("projectColors") == ProjectDetails.Color.allCases.map(\.rawValue))
    }

    @Test func theConsoleKnowsWhatIsANameForAProject() throws {
        for name in try Self.names("projectNames") {
            #expect(throws: Never.self, "\(name)") { try ProjectName.check(name) }
        }
        for name in try Self.names("otherNames") + [""] {
            #expect(throws: RequestError.self, "\(name)") { try ProjectName.check(name) }
        }
    }

    @Test func theConsoleKnowsTheEntityTagOfAVersion() throws {
        for row in try #require(try Self.fixture()["entityTags"]?.arrayValue) {
            let project = try #require(row["project"]?.stringValue)
            let version = try #require(row["version"]?.integerValue)
            let tag = try #require(row["tag"]?.stringValue)
            #expect(TemplateTag(project: project, version: version).entityTag == tag)
            #expect(TemplateTag(tag, project: project)?.version == version)
        }
    }

    @Test func theConsoleHasTheFormatsOfImports() throws {
        #expect(try Self.names("importFormats") == ImportRoutes.Format.allCases.map(\.rawValue))
    }
}
