import JSONTree
import Targeting

/// Reads templates; continues after a problem, to report all of them.
struct TemplateReader {
    let limits: TemplateLimits

    var found = ProblemCollector()

    /// The parsed conditions; complete only without problems.
    var conditions: [TargetingCondition] = []

    var conditionNames: Set<ExactText> = []

    /// Names of the conditions, compared by canonical equivalence.
    var shownNames: Set<String> = []  // names: equivalent names are to be found

    let budget: ConditionBudget

    /// Published conditions that exceed a limit, and are therefore false.
    var excesses: [TemplateProblem] = []

    var parameterCount = 0

    var valueCharacters = 0

    /// Number of parameters, conditions and groups that are not read, in a template with too many.
    private(set) var unreadCount = 0

    /// Maximum number of parameters, conditions and groups each that are read of an unpublished
    /// template.
    ///
    /// A larger one is refused, and finding its other problems would take too long.
    static let maximumRead = 10_000

    /// Names of the known members of a template.
    private static let knownMembers: KnownMembers = [
        "conditions", "parameters", "parameterGroups", "version",
    ]

    init(limits: TemplateLimits) {
        self.limits = limits
        budget = ConditionBudget(isPublished: limits.isPublished)
    }

    mutating func readTemplate(_ json: JSONNode) -> RemoteConfigTemplate {
        let members = found.object(json, .root)
        if !limits.isPublished { checkKind(json) }
        var template = RemoteConfigTemplate()
        // First: these warnings concern the whole file, and responses have room for only a few.
        template.unknownFields = unknownFields(
            members.filter { !Self.knownMembers.names.contains($0.key) }, .root,
            known: Self.knownMembers)
        template.conditions = readConditions(members["conditions"])
        let path = TemplatePath.root.member("parameters")
        template.parameters = readParameters(members["parameters"], path)
        template.parameterGroups = readGroups(members["parameterGroups"])
        template.version = readVersion(members["version"])
        checkDefaultSection(of: template)
        if parameterCount > limits.maximumParameters {
            found.add(
                .root,
                "it has \(parameterCount) parameters; publish at most \(limits.maximumParameters)")
        }
        if valueCharacters > limits.maximumValueCharacters {
            found.add(
                .root,
                "its values have \(valueCharacters) characters; use at most "
                    + "\(limits.maximumValueCharacters)")
        }
        return template
    }

    private mutating func readGroups(
        _ node: JSONNode?
    ) -> NamedValues<ParameterGroup> {
        guard let node, node != .null else { return [:] }
        let path = TemplatePath.root.member("parameterGroups")
        var groups: NamedValues<ParameterGroup> = [:]
        let nodes = found.object(node, path)
        // names: as clients compare them (FORMAT 1.3).
        var spellings: [String: String] = [:]
        for (name, node) in nodes.prefix(readableCount(of: nodes.count)) {
            let path = path.member(name)
            if name.isEmpty { found.add(path, "a group needs a name") }
            if spellings.updateValue(name, forKey: name) != nil {
                found.warn(
                    path,
                    "another group's name looks the same, in other characters; apps take the two "
                        + "for one and see the last: rename one")
            }
            checkLength(of: name, path)
            var members = found.object(node, path)
            let description = found.text(
                members.removeValue(forKey: "description"), path.member("description"),
                maximumLength: limits.maximumDescriptionLength)
            let parameters = readParameters(
                members.removeValue(forKey: "parameters"), path.member("parameters"))
            groups[name] = ParameterGroup(
                description: description, parameters: parameters,
                unknownFields: unknownFields(members, path, known: ["parameters", "description"]))
        }
        if nodes.count > limits.maximumGroups {
            found.add(path, "there are \(nodes.count); use at most \(limits.maximumGroups) groups")
        }
        return groups
    }

    /// Reports a file of another kind, which would be published as an empty template, and members
    /// that request something other than publishing this template.
    ///
    /// An empty template is identified by an empty member, or by the server's version number.
    private mutating func checkKind(_ json: JSONNode) {
        guard case .object(let members) = json else { return }
        for name in ["validateOnly", "validate_only"] where members[name] != nil {
            found.add(TemplatePath.root.member(name), "send it in the query: ?validateOnly=true")
        }
        let isTemplate = Self.contentNames.contains { members[$0] != nil }
        let isConfiguration = ConfigurationImport.isConfiguration(json)
        if isTemplate, isConfiguration {
            found.add(
                TemplatePath.root.member(ConfigurationImport.sectionsName),
                "a configuration document and a template in one file; remove one of them")
        }
        let version = members["version"]?.objectValue.map { TemplateVersion($0).number } ?? 0
        let isEmptyVersion = members.count == 1 && version > 0
        guard !isTemplate, !isEmptyVersion else { return }
        let advice =
            isConfiguration
            ? "it is a configuration document; \"sample-backend import configuration\" "
                + "converts it to a template"
            : "give a template, or an empty \"parameters\" to remove all settings"
        found.add(
            .root, "it has none of conditions, parameters and parameterGroups; \(advice)")
    }

    /// The members that identify an object as a template.
    private static let contentNames = ["conditions", "parameters", "parameterGroups"]

    /// Reads the publisher's description; the server sets the other members of the version.
    private mutating func readVersion(_ node: JSONNode?) -> TemplateVersion? {
        guard let members = node?.objectValue else { return nil }
        let path = TemplatePath.root.member("version")
        let description = found.text(
            members["description"], path.member("description"),
            maximumLength: limits.maximumVersionDescriptionLength)
        var version = TemplateVersion(members)
        version.description = description
        return version
    }

    /// Reports keys that occur both outside groups and in the group with the default section's
    /// name.
    private mutating func checkDefaultSection(of template: RemoteConfigTemplate) {
        let name = RemoteConfigTemplate.defaultSectionName
        guard let group = template.parameterGroups[name] else { return }
        let path = TemplatePath.root.member("parameterGroups").member(name).member("parameters")
        for key in group.parameters.names where template.parameters[key] != nil {
            found.add(
                path.member(key),
                "the parameters outside of groups, which form the section \(name), too, have the same "
                    + "key; rename one of the two")
        }
    }

    /// The number of elements of a list to read, after `earlierCount` of their kind; adds the rest
    /// to `unreadCount`.
    mutating func readableCount(of count: Int, after earlierCount: Int = 0) -> Int {
        guard !limits.isPublished else { return count }
        let readable = min(count, max(Self.maximumRead - earlierCount, 0))
        unreadCount += count - readable
        return readable
    }

    /// Members that are kept unread, such as notes of other tools, each with a warning that
    /// suggests the nearest `known` one.
    mutating func unknownFields(
        _ members: NamedValues<JSONNode>, _ path: TemplatePath, known: KnownMembers
    ) -> NamedValues<JSONNode> {
        for name in members.names where !known.names.contains(name) {
            guard found.hasRoomForWarnings else { break }
            let advice =
                known.nearest(to: name).map { "; write \($0) if that is intended" } ?? ""
            found.warn(path.member(name), "it has no effect\(advice)")
        }
        return members
    }

    /// Reports a name that is too long.
    mutating func checkLength(of name: String, _ path: TemplatePath) {
        found.checkLength(of: name, path, limits.maximumNameLength)
    }
}

/// A path in a template, such as `parameterGroups.Home.parameters.title`.
///
/// Readers create one for everything they read, and its text only for a problem.
indirect enum TemplatePath: Sendable, CustomStringConvertible {
    case root
    case name(String, of: TemplatePath)
    case index(Int, of: TemplatePath)
    /// A place in a value, as the value's own reader describes it.
    case place(String, of: TemplatePath)

    /// Maximum number of shown characters of a name, so that bad input cannot lengthen a path.
    private static let longestName = 256

    /// Maximum number of bytes before the text is truncated.
    ///
    /// Three names of ``longestName`` control characters, each 6 bytes as JSON, take less; so only
    /// paths deep in a value are truncated, and the paths of conflicts stay distinct.
    static let maximumLength = 5_000

    func member(_ name: String) -> TemplatePath { .name(name, of: self) }

    func element(_ index: Int) -> TemplatePath { .index(index, of: self) }

    /// The text: at most ``maximumLength`` bytes, then "…".
    ///
    /// A name with characters other than letters, digits and `_` appears in brackets, as a JSON
    /// string.
    var description: String {
        var steps: [TemplatePath] = []
        var step = self
        while let parent = step.parent {
            steps.append(step)
            step = parent
        }
        var text = ""
        for step in steps.reversed() {
            let addition = step.text(isFirst: text.isEmpty)
            guard text.utf8.count + addition.utf8.count <= Self.maximumLength else {
                return text + "…"
            }
            text += addition
        }
        return text
    }

    private var parent: TemplatePath? {
        switch self {
        case .root: nil
        case .name(_, let parent), .index(_, let parent), .place(_, let parent): parent
        }
    }

    /// The text of the last step.
    private func text(isFirst: Bool) -> String {
        switch self {
        case .root: return ""
        case .index(let index, of: _): return "[\(index)]"
        case .place(let place, of: _): return isFirst ? place : ".\(place)"
        case .name(let name, of: _):
            if !name.isEmpty, name.utf8.count <= Self.longestName,
                name.utf8.allSatisfy(ParameterKey.isWord)
            {
                return isFirst ? name : ".\(name)"
            }
            let shown =
                name.isLonger(than: Self.longestName)
                ? String(String.UnicodeScalarView(name.unicodeScalars.prefix(Self.longestName)))
                    + "…"
                : name
            return "[\(JSONNode.string(shown))]"
        }
    }
}
