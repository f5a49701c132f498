import JSONTree
import OrderedCollections
import Targeting

/// A reader of templates that goes on after a problem, so that all of them are found.
struct TemplateReader {
    /// What a template may not exceed.
    let limits: TemplateLimits

    /// What was found so far.
    var found = ProblemCollector()

    /// The conditions, parsed; complete only without problems.
    var conditions: [TargetingCondition] = []

    /// The names of the conditions.
    var conditionNames: Set<ExactText> = []

    /// The names of the conditions as they look: Swift's strings are equal when they look alike.
    var shownNames: Set<String> = []

    /// What the conditions may still take.
    let budget: ConditionBudget

    /// The conditions that were published already and exceed a limit, so that they are false.
    var excesses: [TemplateProblem] = []

    /// The parameters so far.
    var parameterCount = 0

    /// The characters of values so far.
    var valueCharacters = 0

    /// The names of the members of a template that are known.
    private static let knownFields: Set<String> = [
        "conditions", "parameters", "parameterGroups", "version",
    ]

    /// Makes a reader.
    init(limits: TemplateLimits) {
        self.limits = limits
        budget = ConditionBudget(isPublished: limits.isPublished)
    }

    /// Reads a template.
    mutating func readTemplate(_ json: JSONNode) -> RemoteConfigTemplate {
        let members = found.object(json, .root)
        var template = RemoteConfigTemplate()
        template.conditions = readConditions(members["conditions"])
        let path = TemplatePath.root.member("parameters")
        template.parameters = readParameters(members["parameters"], path)
        template.parameterGroups = readGroups(members["parameterGroups"])
        template.version = readVersion(members["version"])
        template.unknownFields = members.filter { !Self.knownFields.contains($0.key) }
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

    /// Reads the groups.
    private mutating func readGroups(
        _ node: JSONNode?
    ) -> OrderedDictionary<String, ParameterGroup> {
        guard let node, node != .null else { return [:] }
        let path = TemplatePath.root.member("parameterGroups")
        var groups: OrderedDictionary<String, ParameterGroup> = [:]
        for (name, node) in found.object(node, path) {
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
                description: description, parameters: parameters, unknownFields: members)
        }
        if groups.count > limits.maximumGroups {
            found.add(path, "there are \(groups.count); use at most \(limits.maximumGroups) groups")
        }
        return groups
    }

    /// Reads what a publisher says about the version; the rest of it is the server's to say.
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

    /// Finds keys that stand both outside of groups and in the group of that section's name.
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

    /// Finds a name that is too long.
    mutating func checkLength(of name: String, _ path: TemplatePath) {
        found.checkLength(of: name, path, limits.maximumNameLength)
    }
}
