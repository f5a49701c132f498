import ActiveConfig
public import Foundation
import JSONTree
import OrderedCollections

/// The parameters of Parse Config, as `GET /config` returns them with the master key: an object
/// with `params` and, if there are any, `masterKeyOnly`; or the bare object of parameters.
///
/// A string becomes a `STRING`, `true` and `false` a `BOOLEAN`, a number a `NUMBER`, anything else
/// `JSON`. Without the master key Parse leaves out the parameters that it hides from clients, and
/// so does the file.
public struct ParseConfigImport: TemplateImport {
    /// The template: one section, without conditions.
    public let template: RemoteConfigTemplate

    /// Remarks on renamed parameters, and on values of types that JSON does not have.
    public let report: [ImportRemark]

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - jsonData: The file, UTF-8 JSON.
    ///   - sectionName: The section that the parameters become; Parse Config has none.
    /// - Throws: ``TemplateValidationError`` with every problem.
    public init(
        jsonData: Data, sectionName: String = RemoteConfigTemplate.defaultSectionName
    ) throws(TemplateValidationError) {
        var reader = ParseConfigReader()
        let parameters: OrderedDictionary<String, TemplateParameter>
        do throws(ConfigurationFormatError) {
            let json = try JSONNode(
                jsonData: jsonData,
                limits: ConfigurationLimits(maximumSize: ValidatedTemplate.maximumBytes))
            parameters = reader.readFile(json)
        } catch {
            throw TemplateValidationError(error)
        }
        guard reader.found.problems.isEmpty else {
            throw TemplateValidationError(problems: reader.found.problems)
        }
        let template =
            sectionName == RemoteConfigTemplate.defaultSectionName
            ? RemoteConfigTemplate(parameters: parameters)
            : RemoteConfigTemplate(
                parameterGroups: [sectionName: ParameterGroup(parameters: parameters)])
        self.template = try ValidatedTemplate(json: template.json()).template
        report = reader.report.remarks
    }
}

/// Reads the parameters of Parse Config, or of another file of plain values, with a remark for each
/// change.
struct ParseConfigReader {
    /// Problems that keep the file from being imported.
    private(set) var found = ProblemCollector()

    var report = ImportReport()

    /// Reads a file: the answer of `GET /config`, or the parameters alone.
    mutating func readFile(_ json: JSONNode) -> OrderedDictionary<String, TemplateParameter> {
        let members = found.object(json, .root)
        // An app may have a parameter that is called "params".
        let isAnswer =
            members["params"]?.objectValue != nil
            && members.keys.allSatisfy { ["params", "masterKeyOnly"].contains($0) }
        if Self.isTemplate(members) {
            found.add(
                .root, "it is a template, not the parameters of Parse; import it as one of Firebase"
            )
            return [:]
        }
        guard isAnswer else { return readParameters(members, masterKeyOnly: [:], .root) }
        let path = TemplatePath.root.member("masterKeyOnly")
        let secrets = members["masterKeyOnly"] ?? .null
        return readParameters(
            members["params"]?.objectValue ?? [:],
            masterKeyOnly: secrets == .null ? [:] : found.object(secrets, path),
            TemplatePath.root.member("params"))
    }

    /// True for a file of Firebase.
    private static func isTemplate(_ members: OrderedDictionary<String, JSONNode>) -> Bool {
        let names = ["conditions", "parameters", "parameterGroups"]
        return names.contains { members[$0] != nil }
            && members.keys.allSatisfy { (names + ["version", "etag"]).contains($0) }
    }

    /// Reads values by name, and renames those whose name is no key.
    mutating func readParameters(
        _ values: OrderedDictionary<String, JSONNode>,
        masterKeyOnly: OrderedDictionary<String, JSONNode>, _ path: TemplatePath
    ) -> OrderedDictionary<String, TemplateParameter> {
        let limit = TemplateLimits.default.maximumParameters
        guard values.count <= limit else {
            found.add(path, "it has \(values.count) parameters; import at most \(limit)")
            return [:]
        }
        // A valid key stays as it is: only new names must not collide with it.
        var freeKeys = FreeKeys(besides: values.keys.filter(Self.isKey))
        var parameters: OrderedDictionary<String, TemplateParameter> = [:]
        parameters.reserveCapacity(values.count)
        for (name, value) in values {
            let path = path.member(name)
            let key = key(for: name, &freeKeys, path)
            var parameter = readValue(value, path)
            parameter.isMasterKeyOnly = readSecrecy(masterKeyOnly[name], name)
            parameters[key] = parameter
        }
        for name in masterKeyOnly.keys where values[name] == nil {
            report.add(
                TemplatePath.root.member("masterKeyOnly").member(name),
                "there is no parameter of this name; it is left out")
        }
        return parameters
    }

    /// True when a name can be a key unchanged.
    private static func isKey(_ name: String) -> Bool {
        ParameterKey.isValid(name) && name.utf8.count <= TemplateLimits.default.maximumNameLength
    }

    /// The key of a parameter: its name, or a free one derived from it.
    private mutating func key(
        for name: String, _ freeKeys: inout FreeKeys, _ path: TemplatePath
    ) -> String {
        if Self.isKey(name) { return name }
        let key = freeKeys.take(nearest: ParameterKey(nearest: name, maximumLength: 240).text)
        report.add(
            path,
            "it is renamed to \(key), since a key has letters, digits and \"_\" only and at most "
                + "\(TemplateLimits.default.maximumNameLength) characters; read that key in the app"
        )
        return key
    }

    /// True when a parameter is hidden from clients.
    private mutating func readSecrecy(_ node: JSONNode?, _ name: String) -> Bool {
        switch node {
        case nil, .null: return false
        case .bool(let value): return value
        case let node?:
            report.add(
                TemplatePath.root.member("masterKeyOnly").member(name),
                "it is \(node.kindDescription), neither true nor false; the parameter is kept from "
                    + "clients")
            return true
        }
    }

    private mutating func readValue(_ value: JSONNode, _ path: TemplatePath) -> TemplateParameter {
        switch value {
        case .string(let text):
            if text.namesUser { report.addUserPlaceholder(path) }
            return TemplateParameter(defaultValue: .value(text), valueType: .string)
        case .bool, .number:
            let isNumber = value.boolValue == nil
            return TemplateParameter(
                defaultValue: .value(value.description), valueType: isNumber ? .number : .boolean)
        case .null:
            report.add(path, "null has no type of its own; it is kept as JSON")
        case .array, .object:
            noteTypes(in: value, path)
        }
        return TemplateParameter(defaultValue: .value(value.description), valueType: .json)
    }

    /// Adds remarks on values of Parse's own types, at any depth, which the reader of the text has
    /// limited.
    private mutating func noteTypes(in value: JSONNode, _ path: TemplatePath) {
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                noteTypes(in: element, path.element(index))
            }
        case .object(let members):
            if let type = members["__type"]?.stringValue {
                let advice = Self.advice[type.shortened] ?? "decode it in the app"
                report.add(
                    path, "a value of Parse's type \(type.shortened) is kept as JSON; \(advice)")
            }
            for (name, member) in members { noteTypes(in: member, path.member(name)) }
        default: break
        }
    }

    /// The remedy for values of Parse's own types.
    private static let advice = [
        "Bytes": "decode the text at \"base64\"",
        "Date": "read the time at \"iso\"",
        "File": "the file itself stays where \"url\" points",
        "GeoPoint": "read \"latitude\" and \"longitude\"",
        "Pointer": "the object itself stays in Parse",
        "Relation": "the objects themselves stay in Parse",
    ]
}

/// Keys that are made of names, each different from all others.
struct FreeKeys {
    private var taken: Set<String>

    /// The number to go on with, of each key that was taken before.
    private var nextNumbers: [String: Int] = [:]

    /// The number of keys that were tried.
    ///
    /// It is linear in the number of keys, since one that is taken is tried again for one other key
    /// only, its own with the number left out.
    private(set) var attemptCount = 0

    /// Creates keys that differ from others too.
    init(besides others: some Sequence<String>) {
        taken = Set(others)
    }

    /// The key itself, or with the first free number after it.
    mutating func take(nearest stem: String) -> String {
        var key = stem
        var number = nextNumbers[stem] ?? 1
        if number > 1 { key = "\(stem)_\(number)" }
        attemptCount += 1
        while !taken.insert(key).inserted {
            number += 1
            key = "\(stem)_\(number)"
            attemptCount += 1
        }
        nextNumbers[stem] = number + 1
        return key
    }
}
