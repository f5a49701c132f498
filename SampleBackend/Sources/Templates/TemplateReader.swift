import JSONTree
import OrderedCollections
import Targeting

/// Reads templates and continues after a problem, to report all of them.
struct TemplateReader {
    let limits: TemplateLimits

    var found = ProblemCollector()

    /// The conditions, parsed; complete only without problems.
    var conditions: [TargetingCondition] = []

    var conditionNames: Set<ExactText> = []

    /// Names of the conditions, compared by canonical equivalence.
    var shownNames: Set<String> = []

    let budget: ConditionBudget

    /// Conditions that were published already and exceed a limit, so that they are false.
    var excesses: [TemplateProblem] = []

    var parameterCount = 0

    var valueCharacters = 0

    /// The parameters, conditions and groups that are not read, of a template with too many.
    private(set) var unreadCount = 0

    /// The most parameters, conditions and groups each that are read of a template that is not
    /// published: one with more is refused, and what else is wrong with it would take long to find.
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
        // First: their warnings concern the whole file, and responses have room for a few only.
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
    ) -> OrderedDictionary<String, ParameterGroup> {
        guard let node, node != .null else { return [:] }
        let path = TemplatePath.root.member("parameterGroups")
        var groups: OrderedDictionary<String, ParameterGroup> = [:]
        let nodes = found.object(node, path)
        for (name, node) in nodes.prefix(readableCount(of: nodes.count)) {
            let path = path.member(name)
            if name.isEmpty { found.add(path, "a group needs a name") }
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
    /// that mean something else than to publish this template.
    ///
    /// An empty template is known by an empty member, or by the version that the server gave it.
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
                "a configuration document and a template in one file; leave out one of them")
        }
        let version = members["version"]?.objectValue.map { TemplateVersion($0).number } ?? 0
        let isEmptyVersion = members.count == 1 && version > 0
        guard !isTemplate, !isEmptyVersion else { return }
        let advice =
            isConfiguration
            ? "it is a configuration document, of which \"sample-backend import configuration\" "
                + "makes a template"
            : "give a template, or an empty \"parameters\" to remove all settings"
        found.add(
            .root, "it has none of conditions, parameters and parameterGroups; \(advice)")
    }

    /// Names of the members that make an object a template.
    private static let contentNames = ["conditions", "parameters", "parameterGroups"]

    /// Reads the publisher's note; the server sets the other members of the version.
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

    /// Reports keys that occur both outside groups and in the group of the default section's name.
    private mutating func checkDefaultSection(of template: RemoteConfigTemplate) {
        let name = RemoteConfigTemplate.defaultSectionName
        guard let group = template.parameterGroups[name] else { return }
        let path = TemplatePath.root.member("parameterGroups").member(name).member("parameters")
        for key in group.parameters.keys where template.parameters[key] != nil {
            found.add(
                path.member(key),
                "the parameters outside of groups, which are the section \(name) too, have the same "
                    + "key; rename one of the two")
        }
    }

    /// The number of elements of a list that are read, after `earlierCount` of their kind; counts the
    /// others in `unreadCount`.
    mutating func readableCount(of count: Int, after earlierCount: Int = 0) -> Int {
        guard !limits.isPublished else { return count }
        let readable = min(count, max(Self.maximumRead - earlierCount, 0))
        unreadCount += count - readable
        return readable
    }

    /// Members that are kept unread, such as notes of other tools, each with a warning that names
    /// the `known` one nearest to it.
    mutating func unknownFields(
        _ members: OrderedDictionary<String, JSONNode>, _ path: TemplatePath, known: KnownMembers
    ) -> OrderedDictionary<String, JSONNode> {
        for name in members.keys where !known.names.contains(name) {
            guard found.hasRoomForWarnings else { break }
            let advice =
                known.nearest(to: name).map { "; write \($0) if that is meant" } ?? ""
            found.warn(path.member(name), "it has no effect\(advice)")
        }
        return members
    }

    /// Reports a name that is too long.
    mutating func checkLength(of name: String, _ path: TemplatePath) {
        found.checkLength(of: name, path, limits.maximumNameLength)
    }
}

/// A place in a template, such as `parameterGroups.Home.parameters.title`.
///
/// Readers make one for everything they read, and its text only for a problem.
indirect enum TemplatePath: Sendable, CustomStringConvertible {
    case root
    case name(String, of: TemplatePath)
    case index(Int, of: TemplatePath)
    /// A place in a value, as the value's own reader writes it.
    case place(String, of: TemplatePath)

    /// The most characters of a name that are shown, so that a path does not grow with bad input.
    private static let longestName = 256

    /// The most bytes before the text is cut off.
    ///
    /// Three names of ``longestName`` control characters, each 6 bytes as JSON, are less, so only
    /// places deep in a value are cut off, and the paths of conflicts stay distinct.
    static let maximumLength = 5_000

    func member(_ name: String) -> TemplatePath { .name(name, of: self) }

    func element(_ index: Int) -> TemplatePath { .index(index, of: self) }

    /// The text, at most ``maximumLength`` bytes and "…".
    ///
    /// A name with characters other than letters, digits and `_` is put in brackets, as a JSON
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
