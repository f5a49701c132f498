import JSONTree
import Targeting

extension LaunchDarklyReader {
    /// Reads a flag as a parameter, and adds its conditions.
    mutating func readParameter(of flag: LaunchDarklyFlag) -> TemplateParameter {
        let path = flag.path.member("variations")
        let nodes = array(flag.members["variations"], path).enumerated().map { index, node in
            flag.isAnswered ? variationValue(node, path.element(index)) : node
        }
        guard !nodes.isEmpty else {
            values.found.add(path, "it is missing; a flag has at least one variation")
            return TemplateParameter()
        }
        let variations = LaunchDarklyVariations(nodes)
        var served = ServedFlag(flag: flag, variations: variations)
        readTargeting(&served)
        remainingValueBytes -= served.defaultValue.byteCount
        let parameterValues = conditions.add(served.entries)
        let texts = [served.defaultValue] + parameterValues.values
        if variations.type == .string, texts.contains(where: \.namesUser) {
            values.report.addUserPlaceholder(flag.path)
        }
        noteAudience(of: flag)
        return TemplateParameter(
            defaultValue: served.defaultValue, conditionalValues: parameterValues,
            description: description(of: flag), valueType: variations.type,
            owner: owner(of: flag), tags: tags(of: flag))
    }

    /// The e-mail address of the maintainer, if an owner can be named so.
    private func owner(of flag: LaunchDarklyFlag) -> String? {
        guard let email = flag.members["_maintainer"]?["email"]?.stringValue, !email.isEmpty,
            !email.isLonger(than: TemplateLimits.default.maximumOwnerLength),
            !email.hasInvisibleCharacters
        else { return nil }
        return email
    }

    /// The tags of a flag that a parameter can have; reports the number of the others.
    private mutating func tags(of flag: LaunchDarklyFlag) -> [String] {
        let limits = TemplateLimits.default
        let nodes = flag.members["tags"]?.arrayValue ?? []
        var tags: [String] = []
        var shown: Set<String> = []  // names: equivalent tags are refused
        for tag in nodes.compactMap(\.stringValue)
        where tags.count < limits.maximumTags
            && tag.problemAsTag(maximumLength: limits.maximumTagLength) == nil
            && shown.insert(tag).inserted
        {
            tags.append(tag)
        }
        if tags.count < nodes.count {
            values.report.add(
                flag.path.member("tags"),
                "\(nodes.count - tags.count) of \(nodes.count) are left out: a setting has at most "
                    + "\(limits.maximumTags) of \(limits.maximumTagLength) characters, without commas",
                on: .names)
        }
        return tags
    }

    /// The value of a variation of the REST API.
    private mutating func variationValue(_ node: JSONNode, _ path: TemplatePath) -> JSONNode {
        let members = values.found.object(node, path)
        if let value = members["value"] { return value }
        if node.objectValue != nil { values.found.add(path, "it has no value") }
        return .null
    }

    /// The description of a flag, or its name, as far as a parameter has room for it.
    private mutating func description(of flag: LaunchDarklyFlag) -> String? {
        let texts = ["description", "name"].map { name in
            values.found.text(flag.members[name], flag.path.member(name)) ?? ""
        }
        guard let text = texts.first(where: { !$0.isEmpty }) else { return nil }
        let limit = TemplateLimits.default.maximumDescriptionLength
        guard text.isLonger(than: limit) else { return text }
        values.report.add(
            flag.path.member("description"),
            "it has \(text.characterCount) characters and is cut to \(limit)", on: .names)
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit - 1))) + "…"
    }

    /// Adds a remark on a flag that apps do not receive from LaunchDarkly.
    private mutating func noteAudience(of flag: LaunchDarklyFlag) {
        let path = flag.path.member("clientSideAvailability")
        guard let node = flag.members["clientSideAvailability"], node != .null else { return }
        let members = values.found.object(node, path)
        let isAvailable = ["usingMobileKey", "usingEnvironmentId"].map { name in
            boolean(members[name], path.member(name))
        }
        if !isAvailable.contains(true) {
            values.report.add(
                flag.path,
                "LaunchDarkly sends this flag to server-side SDKs only, but a template's settings "
                    + "are sent to apps, too: remove it, or publish it in a project of its own, if "
                    + "apps may not see it")
        }
    }
}

/// A flag with what was read of it.
private struct ServedFlag {
    let flag: LaunchDarklyFlag

    let variations: LaunchDarklyVariations

    /// The value without a condition.
    var defaultValue = ParameterValue(.useInAppDefault)

    var defaultDescription = ""

    var entries: [ImportedConditions.Entry] = []

    init(flag: LaunchDarklyFlag, variations: LaunchDarklyVariations) {
        self.flag = flag
        self.variations = variations
    }

    mutating func setDefault(_ index: Int?) {
        defaultValue = variations.value(index)
        defaultDescription = variations.description(index)
    }
}

extension ParameterValue {
    fileprivate var byteCount: Int {
        if case .value(let text) = content { text.utf8.count } else { 0 }
    }

    /// True for a text with the placeholder of the user's ID.
    fileprivate var namesUser: Bool {
        if case .value(let text) = content { text.namesUser } else { false }
    }
}

extension LaunchDarklyReader {
    /// Reads what decides the value of a flag, in LaunchDarkly's order: off, prerequisites, targets,
    /// rules, default rule.
    private mutating func readTargeting(_ served: inout ServedFlag) {
        let (members, path) = (served.flag.targeting, served.flag.targetingPath)
        let offVariation = variation(
            members["offVariation"], path.member("offVariation"), of: served.variations)
        served.setDefault(offVariation)
        guard boolean(members["on"], path.member("on")) else {
            let names = ["targets", "contextTargets", "rules"].filter {
                members[$0]?.arrayValue?.isEmpty == false
            }
            if !names.isEmpty {
                values.report.add(
                    path,
                    "the flag is off, so everyone gets \(served.defaultDescription), and its "
                        + "\(names.joined(separator: ", ")) are left out; to keep them, turn it on "
                        + "before you get the file")
            }
            return
        }
        guard checkPrerequisites(of: served) else { return }
        readDefaultRule(&served, offVariation)
        // The default rule's shares follow everything else.
        let shares = served.entries
        served.entries = []
        readTargets(&served)
        readRules(&served)
        served.entries += shares
    }

    /// An index of a variation; nil when it is missing, or none, which is reported.
    private mutating func variation(
        _ node: JSONNode?, _ path: TemplatePath, of variations: LaunchDarklyVariations
    ) -> Int? {
        guard let index = count(node, path) else { return nil }
        if index < variations.nodes.count { return index }
        values.found.add(
            path,
            "there is no variation \(index): the flag has \(variations.nodes.count), counted from "
                + "0; correct the number, or remove the flag from the file")
        return nil
    }

    /// False when a prerequisite makes the flag serve its off variation.
    private mutating func checkPrerequisites(of served: ServedFlag) -> Bool {
        let path = served.flag.targetingPath.member("prerequisites")
        let nodes = array(served.flag.targeting["prerequisites"], path)
        for (index, node) in nodes.enumerated() {
            let path = path.element(index)
            let members = values.found.object(node, path)
            let key = values.found.text(members["key"], path.member("key")) ?? ""
            let needed = count(members["variation"], path.member("variation"))
            let result = constantVariation(of: key)
            guard result != nil, result == needed else {
                let reason =
                    result == nil
                    ? "whether the prerequisite \"\(key.shortened)\" is fulfilled is not known for "
                        + "all users at once, and conditions cannot test other settings: everyone "
                        + "gets the off variation, \(served.defaultDescription); write the rules of "
                        + "both flags into one condition"
                    : "the prerequisite \"\(key.shortened)\" is fulfilled for nobody, so everyone "
                        + "gets the off variation, \(served.defaultDescription)"
                values.report.add(path, reason)
                return false
            }
            values.report.add(
                path,
                "the prerequisite \"\(key.shortened)\" is fulfilled for everyone and is left out; "
                    + "later changes of that flag do not change this one")
        }
        return true
    }

    /// The variation that a flag serves to everyone; -1 when it is off, which fulfills no
    /// prerequisite, and nil when that depends on the user.
    private func constantVariation(of key: String) -> Int? {
        guard let index = flagIndexes[name: key] else { return nil }
        let targeting = flags[index].targeting
        guard targeting["on"]?.boolValue == true else { return -1 }
        let names = ["prerequisites", "targets", "contextTargets", "rules"]
        guard names.allSatisfy({ (targeting[$0]?.arrayValue ?? []).isEmpty }) else { return nil }
        return targeting["fallthrough"]?["variation"]?.integerValue
    }

    /// Reads individual targets.
    private mutating func readTargets(_ served: inout ServedFlag) {
        let (flag, path) = (served.flag, served.flag.targetingPath)
        let lists = orderedTargets(of: flag)
        for (index, target) in lists.enumerated() {
            let place = path.member(target.list).element(target.index)
            let ids = texts(target.members["values"], place.member("values"))
            let variation = variation(
                target.members["variation"], place.member("variation"), of: served.variations)
            guard !ids.isEmpty else { continue }
            guard let variation else {
                values.report.add(
                    place,
                    "the targets are left out, since they have no variation: they get the value of "
                        + "a later rule that is true for them, or else \(served.defaultDescription)"
                )
                continue
            }
            let kind = target.members["contextKind"]?.stringValue ?? ""
            guard Self.isUser(kind) else {
                values.report.add(
                    place,
                    "targets of the kind \"\(kind.shortened)\" are left out, since conditions know "
                        + "only users: they get the value of a later rule that is true for them, "
                        + "or else \(served.defaultDescription)")
                continue
            }
            let expression = TargetingExpression.isOneOf(ids, isAlwaysKnown: true) {
                "user.id in \($0)"
            }
            add(
                expression, .variation(variation), to: &served, place,
                name: "\(flag.conditionName) target \(index + 1)")
        }
    }

    /// The lists of targets in LaunchDarkly's order: a list of `contextTargets` for users stands for
    /// the list of `targets` with its variation, which precedes values of its own.
    private mutating func orderedTargets(
        of flag: LaunchDarklyFlag
    ) -> [(list: String, index: Int, members: NamedValues<JSONNode>)] {
        let lists = ["targets", "contextTargets"].map { name in
            let path = flag.targetingPath.member(name)
            return array(flag.targeting[name], path).enumerated().map { index, node in
                (list: name, index: index, members: values.found.object(node, path.element(index)))
            }
        }
        guard !lists[1].isEmpty else { return lists[0] }
        // The indexes of the lists of a variation, the first one last.
        var remaining: [Double?: [Int]] = [:]
        for (index, target) in lists[0].enumerated().reversed() {
            remaining[target.members["variation"]?.doubleValue, default: []].append(index)
        }
        var ordered: [(list: String, index: Int, members: NamedValues<JSONNode>)] = []
        for target in lists[1] {
            let variation = target.members["variation"]?.doubleValue
            if Self.isUser(target.members["contextKind"]?.stringValue ?? ""),
                let index = remaining[variation]?.popLast()
            {
                ordered.append(lists[0][index])
                if (target.members["values"]?.arrayValue ?? []).isEmpty { continue }
            }
            ordered.append(target)
        }
        let others = remaining.values.joined().sorted().map { lists[0][$0] }
        // The REST API states users only in `targets`; SDKs ignore the other lists.
        if flag.isAnswered { return ordered + others }
        for target in others where target.members["values"]?.arrayValue?.isEmpty == false {
            values.report.add(
                flag.targetingPath.member(target.list).element(target.index),
                "the targets are left out, as in LaunchDarkly's SDKs, since \"contextTargets\" has "
                    + "no list of users for their variation")
        }
        return ordered
    }

    /// True for the kind of context that is a user.
    static func isUser(_ kind: String) -> Bool { kind.isEmpty || kind.hasSameBytes(as: "user") }

    private mutating func readRules(_ served: inout ServedFlag) {
        let path = served.flag.targetingPath.member("rules")
        for (index, node) in array(served.flag.targeting["rules"], path).enumerated() {
            guard !isOverLimit else { return }
            let path = path.element(index)
            let members = values.found.object(node, path)
            if Self.matchesNobody(members) { continue }
            do throws(InexpressibleTargeting) {
                let serving = try readServing(members, path, of: served)
                let clauses = array(members["clauses"], path.member("clauses"))
                let expression = try readClauses(clauses, path.member("clauses"))
                let segment = Self.onlySegment(of: clauses)
                var isShared = false
                if case .variation = serving { isShared = segment != nil }
                let name =
                    isShared
                    ? segments[segment ?? ""]?.conditionName
                    : "\(served.flag.conditionName) rule \(index + 1)"
                add(
                    expression, serving, to: &served, path, name: name ?? "",
                    isShared: isShared)
            } catch {
                values.report.add(
                    error.path,
                    "the rule is left out: \(error.reason); its users get the value of a later rule "
                        + "that is true for them, or else \(served.defaultDescription)")
            }
        }
    }

    /// The segment of a rule with no other clause.
    private static func onlySegment(of clauses: [JSONNode]) -> String? {
        guard clauses.count == 1, clauses[0]["op"] == "segmentMatch",
            clauses[0]["negate"]?.boolValue != true, let keys = clauses[0]["values"]?.arrayValue,
            keys.count == 1
        else { return nil }
        return keys[0].stringValue
    }

    /// Reads the default rule: the default value, and a condition for each other share.
    private mutating func readDefaultRule(_ served: inout ServedFlag, _ offVariation: Int?) {
        let path = served.flag.targetingPath.member("fallthrough")
        let members = object(served.flag.targeting["fallthrough"], path)
        do throws(InexpressibleTargeting) {
            switch try readServing(members, path, of: served) {
            case .variation(let index): served.setDefault(index)
            case .shares(let shares, let seed):
                let index =
                    shares.contains { $0.variation == offVariation }
                    ? offVariation : shares.last?.variation
                served.setDefault(index)
                let name = "\(served.flag.conditionName) default rule"
                add(
                    .always, .shares(shares.filter { $0.variation != index }, seed: seed),
                    to: &served, path, name: name)
            }
        } catch {
            served.setDefault(offVariation)
            values.report.add(
                error.path,
                "the default rule is left out: \(error.reason); its users get the off variation, "
                    + served.defaultDescription)
        }
    }

    /// Reads what a rule serves.
    private mutating func readServing(
        _ members: NamedValues<JSONNode>, _ path: TemplatePath, of served: ServedFlag
    ) throws(InexpressibleTargeting) -> LaunchDarklyServing {
        let variations = served.variations
        if members["variation"] != nil, members["variation"] != .null {
            return .variation(
                variation(members["variation"], path.member("variation"), of: variations))
        }
        let path = path.member("rollout")
        let rollout = object(members["rollout"], path)
        let nodes = array(rollout["variations"], path.member("variations"))
        guard !nodes.isEmpty else {
            values.report.add(
                path, "it serves no variation, so its users get the app's own default")
            return .variation(nil)
        }
        let isExperiment =
            rollout["kind"] == "experiment" || rollout["experimentAllocation"]?.objectValue != nil
        try checkBucketing(rollout, path, by: isExperiment ? nil : "bucketBy", kind: "contextKind")
        var shares: [LaunchDarklyShare] = []
        var sum = 0
        for (position, node) in nodes.enumerated() {
            let place = path.member("variations").element(position)
            let members = values.found.object(node, place)
            let weight = count(members["weight"], place.member("weight")) ?? 0
            let index = variation(
                members["variation"], place.member("variation"), of: variations)
            // The last share has what remains, as in LaunchDarkly.
            let upper =
                position == nodes.count - 1
                ? LaunchDarklyShare.count : min(sum + weight, LaunchDarklyShare.count)
            defer { sum = upper }
            guard let index else {
                throw InexpressibleTargeting(
                    path: place, reason: "a share of its rollout has no variation")
            }
            guard upper > sum else { continue }
            shares.append(LaunchDarklyShare(variation: index, lower: sum, upper: upper))
        }
        if shares.count < 2 { return .variation(shares.first?.variation) }
        let seed = seed(of: rollout, served.flag)
        noteShares(path, seed: seed, isExperiment: isExperiment)
        return .shares(shares, seed: seed)
    }

    /// The seed of a flag's rollouts; those that share a number in LaunchDarkly share a seed.
    private mutating func seed(
        of rollout: NamedValues<JSONNode>, _ flag: LaunchDarklyFlag
    ) -> String {
        if let number = rollout["seed"]?.integerValue { return "seed\(number)" }
        if let seed = flagSeeds[name: flag.key] { return seed }
        let seed = newSeed(nearest: flag.key)
        flagSeeds[ExactText(flag.key)] = seed
        return seed
    }

    private mutating func noteShares(_ path: TemplatePath, seed: String, isExperiment: Bool) {
        let experiment =
            isExperiment ? "it is an experiment, of which only the shares are kept; " : ""
        values.report.add(
            path,
            "\(experiment)percent('\(seed)') draws the users anew, so others than in LaunchDarkly "
                + "are in each share; users without an ID are in none")
    }

    /// Adds the conditions of a rule, or of targets.
    private mutating func add(
        _ expression: TargetingExpression, _ serving: LaunchDarklyServing,
        to served: inout ServedFlag, _ path: TemplatePath, name: String, isShared: Bool = false
    ) {
        let count = served.entries.count
        do throws(InexpressibleTargeting) {
            switch serving {
            case .variation(let index):
                for text in expression.conditionTexts {
                    try add(text, index, to: &served, path, name: name, isShared: isShared)
                }
            case .shares(let shares, let seed):
                let texts = expression.conditionTexts
                for (number, share) in shares.enumerated() {
                    for text in texts {
                        guard !isOverLimit else { return }
                        let part = share.expression(seed: seed)
                            .and(text, unless: expression == .always)
                        for text in part.conditionTexts {
                            try add(
                                text, share.variation, to: &served, path,
                                name: "\(name) share \(number + 1)", isShared: isShared)
                        }
                    }
                }
            }
        } catch {
            for entry in served.entries[count...] { remainingValueBytes += entry.value.byteCount }
            served.entries.removeSubrange(count...)
            values.report.add(
                error.path,
                "it is left out: \(error.reason); its users get the value of a later rule that is "
                    + "true for them, or else \(served.defaultDescription)")
        }
    }

    /// True when the template would be too large, so that nothing more is collected.
    private var isOverLimit: Bool { conditions.isFull || remainingValueBytes < 0 }

    /// Adds a condition, unless a limit is exceeded, for which the import fails.
    private mutating func add(
        _ text: String, _ variation: Int?, to served: inout ServedFlag, _ path: TemplatePath,
        name: String, isShared: Bool
    ) throws(InexpressibleTargeting) {
        // Each entry of a setting needs a condition of its own.
        if served.entries.count >= ImportedConditions.maximumCount { conditions.isFull = true }
        guard !isOverLimit else { return }
        try check(text, path)
        let value = served.variations.value(variation)
        remainingValueBytes -= value.byteCount
        served.entries.append(
            ImportedConditions.Entry(
                name: name, expression: text, isShared: isShared, value: value))
    }

    /// Parses an expression within the budget of the template.
    func check(_ text: String, _ path: TemplatePath) throws(InexpressibleTargeting) {
        do throws(ConditionSyntaxError) {
            _ = try TargetingCondition(expression: text, budget: budget)
        } catch {
            throw InexpressibleTargeting(path: path, reason: error.reason)
        }
    }
}
