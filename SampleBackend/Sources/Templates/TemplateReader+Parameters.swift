import JSONTree
import Targeting

extension TemplateReader {
    private static let parameterMembers: KnownMembers = [
        "defaultValue", "conditionalValues", "valueType", "description", "masterKeyOnly", "owner",
        "tags", "permanent", "archived",
    ]

    private static let valueMembers: KnownMembers = [
        "value", "useInAppDefault", "rolloutValue", "personalizationValue", "experimentValue",
    ]

    /// Reads the parameters of a group, or those outside groups.
    mutating func readParameters(
        _ node: JSONNode?, _ path: TemplatePath
    ) -> NamedValues<TemplateParameter> {
        guard let node, node != .null else { return [:] }
        let members = found.object(node, path)
        let count = readableCount(of: members.count, after: parameterCount)
        parameterCount += members.count
        var parameters: NamedValues<TemplateParameter> = [:]
        for (key, node) in members.prefix(count) {
            let path = path.member(key)
            checkKey(key, path)
            parameters[key] = readParameter(node, path)
        }
        return parameters
    }

    /// Reports a key that Firebase rejects.
    private mutating func checkKey(_ key: String, _ path: TemplatePath) {
        if !ParameterKey.isValid(key) {
            found.add(
                path,
                "this key is not valid; start with a letter or \"_\", and continue with letters, "
                    + "digits and \"_\"")
        }
        checkLength(of: key, path)
    }

    private mutating func readParameter(
        _ node: JSONNode, _ path: TemplatePath
    ) -> TemplateParameter {
        var members = found.object(node, path)
        var parameter = TemplateParameter()
        parameter.valueType = readType(
            members.removeValue(forKey: "valueType"), path.member("valueType"))
        parameter.description = found.text(
            members.removeValue(forKey: "description"), path.member("description"),
            maximumLength: limits.maximumDescriptionLength)
        let type = parameter.valueType ?? .string
        if let node = members.removePresentValue(forKey: "defaultValue") {
            let path = path.member("defaultValue")
            parameter.defaultValue = readValue(
                node, path, type: type, unevaluated: ParameterValue.unevaluatedDefault)
        }
        if let node = members.removePresentValue(forKey: "conditionalValues") {
            let path = path.member("conditionalValues")
            for (name, node) in found.object(node, path) {
                let path = path.member(name)
                if !conditionNames.contains(ExactText(name)) {
                    let message =
                        "no condition is called \"\(name.shortened)\"; add it, or remove the value"
                    // Earlier releases accepted a canonically equivalent name as the condition's.
                    if limits.isPublished {
                        found.warn(path, message)
                    } else {
                        found.add(path, message)
                    }
                }
                parameter.conditionalValues[name] = readValue(
                    node, path, type: type,
                    unevaluated: ParameterValue.unevaluatedConditionalValue)
            }
        }
        if let node = members.removePresentValue(forKey: "masterKeyOnly") {
            if let value = node.boolValue {
                parameter.isMasterKeyOnly = value
            } else {
                found.add(
                    path.member("masterKeyOnly"),
                    "it is \(node.kindDescription); make it true or false")
            }
        }
        readNotes(&members, path, into: &parameter)
        parameter.unknownFields = unknownFields(members, path, known: Self.parameterMembers)
        return parameter
    }

    private mutating func readType(
        _ node: JSONNode?, _ path: TemplatePath
    ) -> ParameterValueType? {
        guard let text = found.text(node, path) else { return nil }
        if let type = ParameterValueType(rawValue: text) { return type }
        let names = ParameterValueType.allCases.map(\.rawValue).joined(separator: ", ")
        found.add(path, "there is no type \"\(text.shortened)\"; use one of \(names)")
        return nil
    }

    /// Reads a value; `unevaluated` is the effect of one that this backend only keeps.
    private mutating func readValue(
        _ node: JSONNode, _ path: TemplatePath, type: ParameterValueType, unevaluated: String
    ) -> ParameterValue? {
        var members = found.object(node, path)
        guard case .object = node else { return nil }
        var contents: [ParameterValue.Content] = []
        if let node = members.removePresentValue(forKey: "value") {
            let text = found.text(node, path.member("value")) ?? ""
            valueCharacters += text.characterCount
            if node.stringValue != nil, let problem = type.problem(of: text) {
                found.add(path, problem)
            }
            if type == .string, text.hasWhiteSpaceAtAnEnd {
                found.warn(
                    path,
                    "the text begins or ends with white space, which is sent as written; remove "
                        + "it if it is not meant")
            }
            contents.append(.value(text))
        }
        if let node = members.removePresentValue(forKey: "useInAppDefault") {
            if node != .bool(true) {
                found.add(path.member("useInAppDefault"), "it can only be true; remove it")
            }
            contents.append(.useInAppDefault)
        }
        for name in ParameterValue.unevaluatedNames {
            guard let node = members.removePresentValue(forKey: name) else { continue }
            found.warn(path, "\(name) is kept but not evaluated: \(unevaluated)")
            contents.append(.unevaluated(name, node))
        }
        guard let content = contents.first, contents.count == 1 else {
            found.add(
                path,
                contents.isEmpty
                    ? "it has no value; add \"value\", or \"useInAppDefault\": true"
                    : "it has more than one value; keep one of them")
            return nil
        }
        return ParameterValue(
            content,
            unknownFields: unknownFields(members, path, known: Self.valueMembers))
    }
}

extension String {
    /// True when white space, which nobody sees, is the first or the last character.
    var hasWhiteSpaceAtAnEnd: Bool {
        [unicodeScalars.first, unicodeScalars.last].contains {
            $0?.properties.isWhitespace ?? false
        }
    }
}

extension ParameterValue {
    /// Members of a value that Firebase evaluates and this backend only keeps.
    fileprivate static let unevaluatedNames = [
        "rolloutValue", "personalizationValue", "experimentValue",
    ]

    /// The effect of a conditional value that is not evaluated.
    static let unevaluatedConditionalValue = "its condition counts as false"

    /// The effect of a default value that is not evaluated.
    static let unevaluatedDefault = "the parameter counts as one without a default value"
}

/// A valid parameter key by Firebase's rule: a letter or `_`, then letters, digits and `_`.
struct ParameterKey: Sendable, Hashable {
    let text: String

    /// Creates the key nearest to the first `maximumLength` characters of a text.
    ///
    /// `_` replaces each invalid character, and precedes a digit at the start.
    init(nearest text: String, maximumLength: Int) {
        var key = ""
        for character in text.prefix(maximumLength) {
            key.append(character.utf8.allSatisfy(Self.isWord) ? character : "_")
        }
        let startsWell = key.utf8.first.map { Self.isWord($0) && !Self.isDigit($0) } ?? false
        self.text = startsWell ? key : "_" + key
    }

    static func isValid(_ key: String) -> Bool {
        guard let first = key.utf8.first, !isDigit(first) else { return false }
        return key.utf8.allSatisfy(isWord)
    }

    /// True for an ASCII letter, a digit or `_`.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"):
            true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
