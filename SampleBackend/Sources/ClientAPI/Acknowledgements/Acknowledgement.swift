import HTTPServing
import JSONTree

/// A client's report on a version that it received (PROTOCOL 2): whether the version is active
/// there, and which values it cannot use.
struct Acknowledgement: Sendable, Hashable {
    /// A setting or a whole section that a client cannot use.
    struct Problem: Sendable, Hashable {
        let place: ProblemPlace
        let message: String

        /// The client does not use the version and does not say why.
        fileprivate static let refusal = Problem(
            place: .wholeVersion, message: "not active, and no reason was sent")
    }

    static let maximumProblems = 50

    /// Maximum length of the name of a section or key, in Unicode scalars.
    static let maximumNameLength = 256

    /// Maximum length of a message, in Unicode scalars.
    ///
    /// At most 4 bytes each, this also limits the bytes.
    static let maximumMessageLength = 500

    private static let maximumTagLength = 256

    let version: Int
    let problems: [Problem]

    /// True when the version is active: the client reports so, or reports no problems.
    let isActive: Bool

    /// Reads `{"template_version": 12, "etag": "…", "in_force": true, "problems": [{"section": …}]}`.
    ///
    /// Unknown members are ignored, so clients may send more to later servers.
    ///
    /// - Throws: A ``RequestError`` with status 400 that names the position.
    init(_ body: JSONNode) throws(RequestError) {
        guard let version = body["template_version"]?.integerValue, version >= 1 else {
            throw .invalidArgument(
                "template_version is missing or invalid: send meta.template_version of the "
                    + "document.")
        }
        self.version = version
        _ = try Self.text(body["etag"], at: "etag", atMost: Self.maximumTagLength)
        let elements: [JSONNode]
        switch body["problems"] {
        case nil, .null?: elements = []
        case .array(let array)?: elements = array
        case let other?:
            throw .invalidArgument("problems is \(other.kindDescription): send an array.")
        }
        guard elements.count <= Self.maximumProblems else {
            throw .invalidArgument(
                "problems has \(elements.count) elements: send at most \(Self.maximumProblems).")
        }
        var problems: [Problem] = []
        for (index, element) in elements.enumerated() {
            problems.append(try Self.problem(element, at: "problems[\(index)]"))
        }
        switch body["in_force"] {
        case nil, .null?: isActive = problems.isEmpty
        case .bool(let isActive)?: self.isActive = isActive
        case let other?:
            throw .invalidArgument("in_force is \(other.kindDescription): send true or false.")
        }
        // A refusal without a reason is one of the whole version, as those of our library are.
        self.problems = isActive || !problems.isEmpty ? problems : [.refusal]
    }

    private static func problem(
        _ node: JSONNode, at place: String
    ) throws(RequestError) -> Problem {
        guard case .object = node else {
            throw .invalidArgument("\(place) is \(node.kindDescription): send an object.")
        }
        let section = try text(
            node["section"], at: "\(place).section", atMost: maximumNameLength)
        guard let section else {
            throw .invalidArgument("\(place).section is missing: name the section.")
        }
        let key = try text(node["key"], at: "\(place).key", atMost: maximumNameLength)
        let message = try text(
            node["message"], at: "\(place).message", atMost: maximumMessageLength)
        return Problem(place: ProblemPlace(section: section, key: key), message: message ?? "")
    }

    /// A string; nil when it is missing or null.
    private static func text(
        _ node: JSONNode?, at place: String, atMost maximum: Int
    ) throws(RequestError) -> String? {
        switch node {
        case nil, .null?: return nil
        case .string(let text)?:
            guard !text.isLonger(than: maximum) else {
                throw .invalidArgument(
                    "\(place) is too long: send at most \(maximum) characters.")
            }
            return text
        case let other?:
            throw .invalidArgument("\(place) is \(other.kindDescription): send a string.")
        }
    }
}

/// The location of a problem: a setting or a whole section; its names are compared byte by byte.
package struct ProblemPlace: Sendable, Codable {
    package let section: String
    /// Nil means the whole section.
    package let key: String?

    /// The place of a refused version, which has no section.
    package static let wholeVersion = ProblemPlace(section: "", key: nil)

    package init(section: String, key: String?) {
        self.section = section
        self.key = key
    }
}

extension ProblemPlace: Hashable {
    private var exactKey: ExactText? { key.map { ExactText($0) } }

    package static func == (one: Self, other: Self) -> Bool {
        ExactText(one.section) == ExactText(other.section)
            && one.exactKey == other.exactKey
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(section))
        hasher.combine(exactKey)
    }
}
