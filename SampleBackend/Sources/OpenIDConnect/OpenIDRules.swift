package import Foundation
import JSONTree
package import TemplateStore

/// The roles of people who sign in, by e-mail address, domain, group, or the provider's identifier.
///
/// The first rule that fits a person decides, so a file reads from top to bottom. Rules do not add
/// up: a person with two groups has the rights of the rule that comes first.
package struct OpenIDRules: Sendable, Hashable {
    /// What a person may do.
    package struct Rights: Sendable, Hashable {
        /// The role in all projects, unless ``projects`` limits the person.
        package let role: StoredToken.Role

        /// The roles by project, in these projects only; nil does not limit the person.
        package let projects: [String: StoredToken.Role]?  // names: names of projects are ASCII

        /// True when the person may publish in protected projects without approvals.
        package let mayBypass: Bool

        /// The role in a project; nil without access to it.
        package func role(inProject project: String) -> StoredToken.Role? {
            guard let projects else { return role }
            return projects[project]
        }
    }

    enum Subject: Sendable, Hashable {
        /// The provider's identifier (`sub`).
        case identifier(ExactText)
        case address(ExactText)
        case domain(ExactText)
        case group(ExactText)
    }

    struct Rule: Sendable, Hashable {
        let subject: Subject
        /// Nil refuses the sign-in, so that a later rule does not allow it.
        let rights: Rights?
    }

    let rules: [Rule]

    /// The claim with the groups of a person.
    package let groupsClaim: String

    /// The scopes to request in addition to `openid`, `email` and `profile`.
    package let scopes: [String]

    /// The rights of a person; nil when no rule fits, or the first that fits refuses.
    package func rights(of person: SignedInPerson) -> Rights? {
        let groups = Set(person.groups.map { ExactText($0) })
        let first = rules.first { rule in
            // Who loses the proof of an address must not escape a refusal by it.
            let addresses = [person.address, rule.rights == nil ? person.unverifiedAddress : nil]
                .compactMap { $0 }
            return switch rule.subject {
            case .identifier(let wanted): ExactText(person.subject) == wanted
            case .address(let wanted): addresses.contains { ExactText($0) == wanted }
            case .domain(let wanted):
                addresses.contains { address in
                    address.split(separator: "@").last.map { ExactText(String($0)) } == wanted
                }
            case .group(let wanted): groups.contains(wanted)
            }
        }
        return first?.rights
    }

    /// The groups that rules name.
    var groups: Set<ExactText> {
        Set(
            rules.compactMap { rule in
                if case .group(let name) = rule.subject { name } else { nil }
            })
    }
}

extension OpenIDRules {
    /// Maximum size of a file, in bytes.
    package static let maximumBytes = 1 << 20

    private static let maximumRules = 1_000

    /// In bytes.
    private static let maximumNameLength = 200

    /// Reads the rules.
    ///
    /// - Throws: An ``OpenIDError`` with the line or the path of the first mistake.
    package init(jsonData: Data) throws(OpenIDError) {
        guard jsonData.count <= Self.maximumBytes else {
            throw OpenIDError("it has more than \(Self.maximumBytes) bytes")
        }
        let node: JSONNode
        do {
            node = try JSONNode(jsonData: jsonData)
        } catch {
            // The caller ends the sentence.
            let text = "\(error)"
            throw OpenIDError(text.hasSuffix(".") ? String(text.dropLast()) : text)
        }
        try Self.check(node, at: "", knows: ["rules", "groupsClaim", "scopes"])
        guard let elements = node["rules"]?.arrayValue else {
            throw OpenIDError("rules: an array is missing")
        }
        guard elements.count <= Self.maximumRules else {
            throw OpenIDError("rules: more than \(Self.maximumRules) are too many")
        }
        var rules: [Rule] = []
        for (index, element) in elements.enumerated() {
            rules.append(try Self.rule(element, at: "rules[\(index)]"))
        }
        self.rules = rules
        groupsClaim =
            try node["groupsClaim"].map { (node) throws(OpenIDError) in
                try Self.text(node, at: "groupsClaim")
            } ?? "groups"
        scopes = try Self.scopes(node["scopes"])
    }

    private static func rule(_ node: JSONNode, at path: String) throws(OpenIDError) -> Rule {
        try check(
            node, at: path,
            knows: ["email", "domain", "group", "subject", "role", "projects", "mayBypass"])
        let names = ["email", "domain", "group", "subject"].filter { node[$0] != nil }
        guard names.count == 1, let name = names.first, let value = node[name] else {
            throw OpenIDError("\(path): give exactly one of email, domain, group and subject")
        }
        let text = try text(value, at: "\(path).\(name)")
        let subject: Subject
        switch name {
        case "email":
            guard let address = VerifiedAddress(text) else {
                throw OpenIDError("\(path).email: \(text.quoted) is not an e-mail address in ASCII")
            }
            subject = .address(ExactText(address.text))
        case "domain":
            guard let address = VerifiedAddress("a@\(text)") else {
                throw OpenIDError(
                    "\(path).domain: \(text.quoted) is not a domain such as shop.example")
            }
            subject = .domain(ExactText(String(address.text.dropFirst(2))))
        case "subject": subject = .identifier(ExactText(text))
        default: subject = .group(ExactText(text))
        }
        return Rule(subject: subject, rights: try rights(node, at: path))
    }

    private static func rights(_ node: JSONNode, at path: String) throws(OpenIDError) -> Rights? {
        guard (node["role"] == nil) != (node["projects"] == nil) else {
            throw OpenIDError("\(path): give either role or projects")
        }
        let mayBypass: Bool
        switch node["mayBypass"] {
        case nil: mayBypass = false
        case .bool(let value): mayBypass = value
        case let other?:
            throw OpenIDError("\(path).mayBypass: \(other.kindDescription) is not true or false")
        }
        if let role = node["role"] {
            if role == "none" {
                guard !mayBypass else {
                    throw OpenIDError("\(path).mayBypass: the role none may not bypass")
                }
                return nil
            }
            return Rights(
                role: try self.role(role, at: "\(path).role", or: ", none"), projects: nil,
                mayBypass: mayBypass)
        }
        guard let members = node["projects"]?.objectValue, !members.isEmpty else {
            throw OpenIDError("\(path).projects: give an object such as {\"shop\": \"editor\"}")
        }
        var projects: [String: StoredToken.Role] = [:]  // names: checked below to be ASCII
        for (name, value) in members {
            guard !name.isEmpty, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw OpenIDError("\(path).projects: \(name.quoted) is not the name of a project")
            }
            projects[name] = try role(value, at: "\(path).projects.\(name)")
        }
        return Rights(
            role: projects.values.max() ?? .viewer, projects: projects, mayBypass: mayBypass)
    }

    /// A role of people; the role evaluator is for services.
    private static func role(
        _ node: JSONNode, at path: String, or more: String = ""
    ) throws(OpenIDError) -> StoredToken.Role {
        let roles = StoredToken.Role.allCases.filter { $0 > .evaluator }
        guard let name = node.stringValue, let role = roles.first(where: { $0.rawValue == name })
        else {
            let names = roles.map(\.rawValue).joined(separator: ", ")
            throw OpenIDError("\(path): give one of \(names)\(more)")
        }
        return role
    }

    private static func scopes(_ node: JSONNode?) throws(OpenIDError) -> [String] {
        guard let node else { return [] }
        guard let elements = node.arrayValue, elements.count <= 20 else {
            throw OpenIDError("scopes: give an array of at most 20 strings")
        }
        var scopes: [String] = []
        for (index, element) in elements.enumerated() {
            let scope = try text(element, at: "scopes[\(index)]")
            // RFC 6749, 3.3.
            guard
                scope.utf8.allSatisfy({
                    (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"")
                        && $0 != UInt8(ascii: "\\")
                })
            else { throw OpenIDError("scopes[\(index)]: \(scope.quoted) is not a scope") }
            scopes.append(scope)
        }
        return scopes
    }

    private static func text(_ node: JSONNode, at path: String) throws(OpenIDError) -> String {
        guard let text = node.stringValue else {
            throw OpenIDError("\(path): \(node.kindDescription) is not a string")
        }
        guard (1...maximumNameLength).contains(text.utf8.count) else {
            throw OpenIDError("\(path): give 1 to \(maximumNameLength) bytes")
        }
        return text
    }

    private static func check(
        _ node: JSONNode, at path: String, knows names: [String]
    ) throws(OpenIDError) {
        let place = path.isEmpty ? "the file" : path
        guard let members = node.objectValue else {
            throw OpenIDError("\(place): \(node.kindDescription) is not an object")
        }
        if let unknown = members.names.first(where: { !names.contains($0) }) {
            throw OpenIDError(
                "\(place): the member \(unknown.quoted) is unknown: give "
                    + "\(names.joined(separator: ", ")) only")
        }
    }
}

/// An e-mail address in lower case.
///
/// Only ASCII, so that no address looks like another; other addresses count as none.
struct VerifiedAddress: Sendable, Hashable {
    let text: String

    init?(_ text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, !parts[0].isEmpty,
            parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty }),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            parts[1].allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            })
        else { return nil }
        self.text = text.lowercased()
    }
}
