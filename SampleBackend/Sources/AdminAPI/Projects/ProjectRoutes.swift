import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// The route of API 3 that lists projects.
struct ProjectRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [.get("/v1/projects", access: RoleAccess(.viewer), handler: list)]
    }

    /// The projects, sorted by name, with their details and current versions.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let versions = administration.library.versions.sorted { $0.key < $1.key }
        return .json([
            "projects": .array(
                versions.map { name, version in
                    var node: JSONNode = [
                        "name": .string(name),
                        "versionNumber": .string("\(version.number)"),
                        "updateTime": .string(version.updateTime.timestamp),
                    ]
                    node.setMembers(administration.library.projectDetails(ofProject: name))
                    return node
                })
        ])
    }
}

/// Checks the names of new projects.
enum ProjectName: Sendable {
    /// In characters.
    private static let maximumLength = 100

    /// Checks that a decoded name consists of letters, digits, `-`, `_` and `.`.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    static func check(_ name: String) throws(RequestError) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isPlain, (1...maximumLength).contains(name.utf8.count), name != ".", name != ".."
        else {
            throw .invalidArgument(
                "A project's name has 1 to \(maximumLength) letters, digits, \"-\", \"_\" and "
                    + "\".\": choose another name.")
        }
    }
}
