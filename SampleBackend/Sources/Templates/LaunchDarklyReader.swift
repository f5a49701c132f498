import JSONTree
import OrderedCollections
import Targeting

/// Reads the flags and segments of one environment of LaunchDarkly.
struct LaunchDarklyReader {
    var values = PlainValuesReader()

    var conditions = ImportedConditions()

    /// The flags that become settings.
    var flags: [LaunchDarklyFlag] = []

    /// Indexes of `flags` by their keys.
    var flagIndexes: [ExactText: Int] = [:]

    /// The segments by their keys, without deleted ones.
    var segments: NamedValues<LaunchDarklySegment> = [:]

    /// The depths of the segments; nil for a segment that contains itself, or one that does.
    var segmentDepths: [ExactText: Int] = [:]

    /// The expressions of the segments that were read.
    var segmentResults: [ExactText: Result<TargetingExpression, InexpressibleTargeting>] = [:]

    /// The segments that rules name.
    var usedSegments: Set<ExactText> = []

    /// The attributes that rules test, which become custom signals.
    var signals: OrderedSet<ExactText> = []

    /// Seeds of `percent`, all different.
    var seeds = FreeKeys(besides: [])

    /// Seeds of flags and of segments by their keys.
    var flagSeeds: [ExactText: String] = [:]
    var segmentSeeds: [ExactText: String] = [:]

    /// Bounds the time and memory of the conditions, as a publish does.
    let budget = ConditionBudget()

    /// Remaining characters of segments that are repeated in rules and in other segments.
    var repeatableCharacters = ValidatedTemplate.maximumBytes

    /// Remaining bytes of values, which each condition of a setting repeats.
    var remainingValueBytes = ValidatedTemplate.maximumBytes

    /// Reads a file: an answer of the REST API with `items`, or data of SDKs with `flags`,
    /// `flagValues` and `segments`.
    mutating func readFile(_ json: JSONNode) -> NamedValues<TemplateParameter> {
        let members = values.found.object(json, .root)
        guard values.found.problems.isEmpty, checkKind(members, json) else { return [:] }
        readSegments(members["segments"])
        segmentDepths = depthsOfSegments()
        let isAnswer = members["items"] != nil
        let found = isAnswer ? answeredFlags(members) : dataFlags(members)
        let plain = plainValues(members["flagValues"])
        let path = TemplatePath.root.member(isAnswer ? "items" : "flags")
        guard values.checkCount(found.count + plain.count, path) else { return [:] }
        for flag in found { add(flag, isPlain: plain[flag.key] != nil) }
        guard values.found.problems.isEmpty else { return [:] }
        return readParameters(plain)
    }

    private mutating func readParameters(
        _ plain: NamedValues<JSONNode>
    ) -> NamedValues<TemplateParameter> {
        let valuesPath = TemplatePath.root.member("flagValues")
        let places: [(name: String, path: TemplatePath)] =
            flags.map { ($0.key, $0.path) } + plain.map { ($0.key, valuesPath.member($0.key)) }
        let keys = values.keys(for: places)
        var parameters: NamedValues<TemplateParameter> = [:]
        for (key, flag) in zip(keys, flags) {
            parameters[key] = readParameter(of: flag)
        }
        for (key, (name, value)) in zip(keys.dropFirst(flags.count), plain) {
            parameters[key] = values.readValue(value, valuesPath.member(name))
        }
        addUnusedSegments()
        noteSignals()
        if conditions.isFull {
            values.found.add(
                .root,
                "its targets and rules become more than \(ImportedConditions.maximumCount) "
                    + "conditions; import fewer flags, or put long lists of users into a custom "
                    + "signal")
        }
        if remainingValueBytes < 0 {
            values.found.add(
                .root,
                "its values become more than \(ValidatedTemplate.maximumBytes) bytes, since each "
                    + "condition of a setting has a value of its own; import fewer flags, or "
                    + "shorten the variations")
        }
        return parameters
    }

    /// Adds a remark on the signals that apps have to send.
    private mutating func noteSignals() {
        guard !signals.isEmpty else { return }
        let listed = signals.prefix(20).map { "\"\($0.text.shortened)\"" }
        let others = signals.count > listed.count ? " and \(signals.count - listed.count) more" : ""
        values.report.add(
            .root,
            "its rules test the attributes \(listed.joined(separator: ", "))\(others); send them from "
                + "the app as custom signals of the same names", on: .file)
    }
}

extension LaunchDarklyReader {
    /// Reports a file of another kind; returns false for one.
    private mutating func checkKind(_ members: NamedValues<JSONNode>, _ json: JSONNode) -> Bool {
        let isAnswer = members["items"] != nil
        let isData = members["flags"] != nil || members["flagValues"] != nil
        if isAnswer != isData { return true }
        let message =
            if isAnswer {
                "it has both \"items\" and \"flags\"; give the answer of the REST API or the data "
                    + "of an SDK, not both in one file"
            } else if FirebaseImport.isTemplate(members), !members.isEmpty {
                "it is a template, not the flags of LaunchDarkly; import it as one of Firebase"
            } else if ConfigurationImport.isConfiguration(json) {
                "it is a configuration document, not the flags of LaunchDarkly; import it as one"
            } else {
                "it has none of \"items\", \"flags\" and \"flagValues\"; give the answer of GET "
                    + "/api/v2/flags/PROJECT?env=ENVIRONMENT&summary=0, or the data of an SDK, "
                    + "which GET /sdk/latest-all returns"
            }
        values.found.add(.root, message)
        return false
    }

    /// The flags of an answer of the REST API.
    private mutating func answeredFlags(_ members: NamedValues<JSONNode>) -> [LaunchDarklyFlag] {
        let path = TemplatePath.root.member("items")
        let items = array(members["items"], path)
        if let total = members["totalCount"]?.integerValue, total > items.count {
            values.report.add(
                path,
                "it has \(items.count) of \(total) flags; the others are not imported: get them "
                    + "with &limit=100&offset=\(items.count), and join the items of all answers",
                on: .file)
        }
        let read = items.enumerated().map { index, node in
            let members = values.found.object(node, path.element(index))
            let key = key(of: members, path.element(index))
            return (key: key, members: members, path: path.member(key))
        }
        guard let environment = environment(of: read.map(\.members)) else { return [] }
        let hasNames = read.contains { flag in
            flag.members["variations"]?.arrayValue?.contains { $0["name"]?.stringValue != nil }
                ?? false
        }
        if hasNames {
            values.report.add(
                path, "the names of variations have no counterpart; they are left out", on: .names)
        }
        return read.map { key, members, path in
            let place = path.member("environments").member(environment)
            let targeting = members["environments"]?[environment]
            return LaunchDarklyFlag(
                key: key, path: path, members: members,
                targeting: checkedTargeting(targeting, place, isArchived: members["archived"]),
                targetingPath: place, isAnswered: true)
        }
    }

    /// The flag's part of an environment; reports one that is missing or only a summary.
    private mutating func checkedTargeting(
        _ node: JSONNode?, _ path: TemplatePath, isArchived: JSONNode?
    ) -> NamedValues<JSONNode> {
        if isArchived?.boolValue == true { return [:] }
        guard let node else {
            values.found.add(
                path,
                "the flag has no such environment, but others have; get all flags with the "
                    + "same ?env=ENVIRONMENT")
            return [:]
        }
        let members = values.found.object(node, path)
        if members["rules"] == nil, node.objectValue != nil {
            values.found.add(
                path, "it is a summary without rules; get the flags with &summary=0")
        }
        return members
    }

    /// The only environment of the flags; reports a file with none or several.
    private mutating func environment(of flags: [NamedValues<JSONNode>]) -> String? {
        var names: OrderedSet<ExactText> = []
        for flag in flags { names.formUnion(flag["environments"]?.objectValue?.keys ?? []) }
        if names.count == 1, let name = names.first { return name.text }
        if flags.isEmpty { return nil }
        let shown = names.prefix(10).map { "\"\($0.text.shortened)\"" }.joined(separator: ", ")
        values.found.add(
            TemplatePath.root.member("items"),
            names.isEmpty
                ? "the flags have no environments; get them with ?env=ENVIRONMENT&summary=0"
                : "the flags have \(names.count) environments, such as \(shown); get those of one "
                    + "with ?env=ENVIRONMENT")
        return nil
    }

    /// The flags in data of SDKs.
    private mutating func dataFlags(_ members: NamedValues<JSONNode>) -> [LaunchDarklyFlag] {
        let path = TemplatePath.root.member("flags")
        guard let node = members["flags"], node != .null else { return [] }
        return values.found.object(node, path).map { key, node in
            let path = path.member(key)
            let members = values.found.object(node, path)
            return LaunchDarklyFlag(
                key: key, path: path, members: members, targeting: members, targetingPath: path,
                isAnswered: false)
        }
    }

    /// Values of flags without targeting, which files for SDKs may have.
    private mutating func plainValues(_ node: JSONNode?) -> NamedValues<JSONNode> {
        guard let node, node != .null else { return [:] }
        return values.found.object(node, TemplatePath.root.member("flagValues"))
    }

    /// Adds a flag, unless it is archived or deleted; reports a second one of its key.
    private mutating func add(_ flag: LaunchDarklyFlag, isPlain: Bool) {
        if isPlain {
            values.found.add(
                flag.path, "\"flagValues\" has a flag of this key, too; remove one of the two")
        }
        for (members, path) in [
            (flag.members, flag.path), (flag.targeting, flag.targetingPath),
        ] {
            for name in ["archived", "deleted"]
            where boolean(members[name], path.member(name)) {
                values.report.add(
                    path,
                    "the flag is \(name) and is left out; an app that reads it gets its own "
                        + "default")
                return
            }
        }
        guard flagIndexes.updateValue(flags.count, forKey: ExactText(flag.key)) == nil else {
            values.found.add(flag.path, "another flag has the same key; remove one of the two")
            return
        }
        flags.append(flag)
    }

    /// Reads the segments: by key as in data of SDKs, or the items of an answer of the REST API.
    private mutating func readSegments(_ node: JSONNode?) {
        guard let node, node != .null else { return }
        let path = TemplatePath.root.member("segments")
        let listed: [(key: String, node: JSONNode, path: TemplatePath)]
        if let items = node.arrayValue {
            listed = items.enumerated().map { index, node in
                let members = values.found.object(node, path.element(index))
                let key = key(of: members, path.element(index))
                return (key, node, path.member(key))
            }
        } else {
            listed = values.found.object(node, path).map { ($0.key, $0.value, path.member($0.key)) }
        }
        for (key, node, path) in listed {
            let members = values.found.object(node, path)
            if boolean(members["deleted"], path.member("deleted")) { continue }
            if segments[key] != nil {
                values.found.add(path, "another segment has the same key; remove one of the two")
            }
            segments[key] = LaunchDarklySegment(key: key, path: path, members: members)
        }
    }

    private mutating func key(of members: NamedValues<JSONNode>, _ path: TemplatePath) -> String {
        if let key = values.found.text(members["key"], path.member("key")), !key.isEmpty {
            return key
        }
        if members["key"] == nil || members["key"] == .null || members["key"] == "" {
            values.found.add(path.member("key"), "it is missing; each flag and segment has a key")
        }
        return ""
    }
}

extension LaunchDarklyReader {
    /// The elements of an optional array; reports a problem for another kind of value.
    mutating func array(_ node: JSONNode?, _ path: TemplatePath) -> [JSONNode] {
        switch node {
        case nil, .null: return []
        case .array(let elements): return elements
        case let node?:
            values.found.add(path, "it is \(node.kindDescription); make it an array")
            return []
        }
    }

    /// The elements of an optional array of texts.
    mutating func texts(_ node: JSONNode?, _ path: TemplatePath) -> [String] {
        array(node, path).enumerated().compactMap { index, node in
            if let text = node.stringValue { return text }
            values.found.add(
                path.element(index), "it is \(node.kindDescription); make it a string")
            return nil
        }
    }

    /// An optional Boolean; false without one.
    mutating func boolean(_ node: JSONNode?, _ path: TemplatePath) -> Bool {
        switch node {
        case nil, .null: return false
        case .bool(let value): return value
        case let node?:
            values.found.add(path, "it is \(node.kindDescription); make it true or false")
            return false
        }
    }

    /// An optional integer of at least 0.
    mutating func count(_ node: JSONNode?, _ path: TemplatePath) -> Int? {
        guard let node, node != .null else { return nil }
        if let value = node.doubleValue, value >= 0, value <= 1e9, value == value.rounded() {
            return Int(value)
        }
        let found = node.doubleValue == nil ? node.kindDescription : node.description.shortened
        values.found.add(path, "it is \(found); make it an integer of at least 0")
        return nil
    }

    /// The members of an optional object.
    mutating func object(_ node: JSONNode?, _ path: TemplatePath) -> NamedValues<JSONNode> {
        guard let node, node != .null else { return [:] }
        return values.found.object(node, path)
    }
}
