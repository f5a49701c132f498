import HTTPServing
package import JSONTree
import TemplateStore

/// Reads the projects to which a new token is limited.
enum TokenProjects: Sendable {
    private static let maximumCount = 100

    static let roleNames = StoredToken.Role.allCases.map(\.rawValue).joined(separator: ", ")

    static func role(_ node: JSONNode?) -> StoredToken.Role? {
        node?.stringValue.flatMap(StoredToken.Role.init(rawValue:))
    }

    /// The roles by project; nil when the token is not limited.
    ///
    /// - Throws: A ``RequestError`` with status 400 for anything but an object of known roles.
    static func roles(
        in node: JSONNode?
    ) throws(RequestError) -> [String: StoredToken.Role]? {
        guard let node, node != .null else { return nil }
        guard let members = node.objectValue, (1...maximumCount).contains(members.count) else {
            throw .invalidArgument(
                "projects is \(node.objectValue == nil ? "not an object" : "empty or too long"): "
                    + "send the roles of 1 to \(maximumCount) projects, such as "
                    + "{\"shop\": \"editor\"}, or leave it out for all projects.")
        }
        var roles: [String: StoredToken.Role] = [:]  // names: names of projects are ASCII
        for (project, value) in members {
            try ProjectName.check(project)
            guard let role = role(value) else {
                throw .invalidArgument(
                    "projects has an unknown role for \"\(project)\": send one of \(roleNames).")
            }
            roles[project] = role
        }
        return roles
    }
}

extension Administrator {
    /// The roles by project in responses; nil when the administrator is not limited.
    package var projectsJSON: JSONNode? { projects.map(\.json) }
}

extension [String: StoredToken.Role] {
    /// The roles by project in responses, sorted by project.
    var json: JSONNode {
        .object(
            NamedValues(
                sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.rawValue)) },
                uniquingKeysWith: { first, _ in first }))
    }
}
