import JSONTree
import OrderedCollections
import Targeting

extension LaunchDarklyReader {
    /// Reads the clauses of a rule, all of which have to be true.
    mutating func readClauses(
        _ nodes: [JSONNode], _ path: TemplatePath, inSegment: Bool = false
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        var expressions: [TargetingExpression] = []
        for (index, node) in nodes.enumerated() {
            expressions.append(try readClause(node, path.element(index), inSegment: inSegment))
        }
        return .all(expressions.filter { $0 != .always })
    }

    /// True for a rule with a clause without values, which is true for nobody unless it is negated.
    static func matchesNobody(_ rule: NamedValues<JSONNode>) -> Bool {
        (rule["clauses"]?.arrayValue ?? []).contains { clause in
            clause.objectValue != nil
                && [nil, .null, .array([])].contains(clause["values"])
                && [nil, .null, .bool(false)].contains(clause["negate"])
        }
    }

    /// Reads a clause of a rule of a flag or of a segment.
    private mutating func readClause(
        _ node: JSONNode, _ path: TemplatePath, inSegment: Bool
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        let members = values.found.object(node, path)
        let operation = values.found.text(members["op"], path.member("op")) ?? ""
        let targets = array(members["values"], path.member("values"))
        let isNegated = boolean(members["negate"], path.member("negate"))
        let expression: TargetingExpression
        if operation.hasSameBytes(as: "segmentMatch") {
            let keys = texts(members["values"], path.member("values"))
            expression = try readSegmentMatch(keys, path, inSegment: inSegment)
            guard !isNegated || expression.isAlwaysKnown else {
                throw InexpressibleTargeting(
                    path: path,
                    reason: "the negation of a segment with rules on signals is not true where a "
                        + "signal is missing, unlike in LaunchDarkly")
            }
        } else {
            let subject = try readSubject(members, path)
            guard !targets.isEmpty else {
                if case .user = subject { return isNegated ? .always : .never }
                throw InexpressibleTargeting(
                    path: path,
                    reason: "its negated clause has no values, so it is true for everyone with the "
                        + "attribute, which no condition tests")
            }
            expression = try subject.expression(operation, targets, path)
            if case .signal(let name) = subject { noteSignal(name, path) }
            noteUnusualValues(subject, operation, isNegated: isNegated, path)
        }
        if expression == .never { return isNegated ? .always : .never }
        return isNegated ? expression.negated : expression
    }

    /// Reads the attribute of a clause.
    private mutating func readSubject(
        _ members: NamedValues<JSONNode>, _ path: TemplatePath
    ) throws(InexpressibleTargeting) -> LaunchDarklySubject {
        let kind = values.found.text(members["contextKind"], path.member("contextKind")) ?? ""
        let attribute = values.found.text(members["attribute"], path.member("attribute")) ?? ""
        // Without a kind, the attribute is a name as it is, also with a slash.
        let name =
            kind.isEmpty ? attribute : try LaunchDarklySubject.name(ofReference: attribute, path)
        guard !name.isEmpty else {
            values.found.add(path.member("attribute"), "it is missing; a clause tests an attribute")
            return .user
        }
        if name.hasSameBytes(as: "kind") {
            throw InexpressibleTargeting(
                path: path,
                reason: "it tests the kind of the context, and conditions know only users")
        }
        switch kind {
        case "", "user":
            guard !name.hasSameBytes(as: "key") else { return .user }
            guard !name.isLonger(than: Signals.maximumNameLength) else {
                throw InexpressibleTargeting(
                    path: path,
                    reason: "the name of its attribute has more than "
                        + "\(Signals.maximumNameLength) characters")
            }
            return .signal(name)
        case "ld_application":
            switch name {
            case "id": return .application
            case "versionName": return .version
            default: break
            }
        default: break
        }
        throw InexpressibleTargeting(
            path: path,
            reason: "it tests \"\(name.shortened)\" of the context kind \"\(kind.shortened)\", and "
                + "conditions know only users and their signals; add a condition on a custom signal, "
                + "or on app.version, app.build or device.os")
    }

    /// Adds a remark on values that an operator compares otherwise than LaunchDarkly: a clause that
    /// cannot compare a value is false there, and unknown here.
    private mutating func noteUnusualValues(
        _ subject: LaunchDarklySubject, _ operation: String, isNegated: Bool, _ path: TemplatePath
    ) {
        var differences: [String] = []
        let isVersion = operation.utf8.starts(with: "semVer".utf8)
        if isVersion {
            if case .version = subject {
                differences.append(
                    "a version with a suffix, such as 2.0.0-beta, is compared by LaunchDarkly, but "
                        + "here the clause is not true for it")
            } else {
                differences.append(
                    "versions that differ only from a suffix on, such as 2.0.0-beta and 2.0.0, are "
                        + "compared by LaunchDarkly, but here the clause is not true for them")
            }
        }
        let isNumber =
            operation.utf8.starts(with: "lessThan".utf8)
            || operation.utf8.starts(with: "greaterThan".utf8)
        if isNegated, isVersion || isNumber {
            differences.append(
                "where the value is no \(isVersion ? "version" : "number"), the negated clause is "
                    + "true in LaunchDarkly, but not here")
        }
        guard !differences.isEmpty else { return }
        values.report.add(path, differences.joined(separator: "; "), on: .unusualValues)
    }

    /// Notes a custom signal that the app has to send.
    private mutating func noteSignal(_ name: String, _ path: TemplatePath) {
        signals.append(ExactText(name))
        switch name {
        case "country":
            values.report.add(
                path,
                "\"country\" becomes a custom signal, which the app has to send; write "
                    + "device.country for the region of the device")
        case "anonymous":
            values.report.add(
                path,
                "\"anonymous\" becomes a custom signal: send it for every user, since it is never "
                    + "missing in LaunchDarkly")
        default: break
        }
    }
}

/// The attribute that a clause tests.
enum LaunchDarklySubject {
    /// The key of the user.
    case user
    /// The ID of the app.
    case application
    /// The version of the app.
    case version
    /// Any other attribute of the user.
    case signal(String)

    /// The name of an attribute in a reference, such as `/name`; nested attributes are refused.
    static func name(
        ofReference reference: String, _ path: TemplatePath
    ) throws(InexpressibleTargeting) -> String {
        guard reference.utf8.first == UInt8(ascii: "/") else { return reference }
        let parts = reference.parts(between: "/").dropFirst()
        guard parts.count == 1, let part = parts.first else {
            throw InexpressibleTargeting(
                path: path,
                reason:
                    "it tests the nested attribute \"\(reference.shortened)\", and signals have "
                    + "no members; send it as a signal of its own, and add a condition")
        }
        let slashes = part.parts(between: "~1").joined(separator: "/")
        return slashes.parts(between: "~0").joined(separator: "~")
    }

    /// The expression of an operator, which is true if one of the values fits.
    func expression(
        _ operation: String, _ targets: [JSONNode], _ path: TemplatePath
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        switch operation {
        case "in": return try isOneOf(targets, path)
        case "contains", "startsWith", "endsWith", "matches":
            return try search(operation, targets, path)
        case "lessThan": return try compare("<", targets, path)
        case "lessThanOrEqual": return try compare("<=", targets, path)
        case "greaterThan": return try compare(">", targets, path)
        case "greaterThanOrEqual": return try compare(">=", targets, path)
        case "semVerEqual": return try compareVersions("==", targets, path)
        case "semVerLessThan": return try compareVersions("<", targets, path)
        case "semVerGreaterThan": return try compareVersions(">", targets, path)
        case "before", "after":
            throw InexpressibleTargeting(
                path: path,
                reason: "\(operation) compares a date of the user, and conditions compare only the "
                    + "time of the request, dateTime")
        default:
            throw InexpressibleTargeting(
                path: path,
                reason: "the operator \"\(operation.shortened)\" has no counterpart in conditions")
        }
    }

    /// The attribute as it is written in front of a method, such as `.contains`.
    private var element: String {
        switch self {
        case .user: "user.id"
        case .application: "app.id"
        case .version: "app.version"
        case .signal(let name): "app.customSignal[\(name.quotedLiteral)]"
        }
    }

    private func isOneOf(
        _ targets: [JSONNode], _ path: TemplatePath
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        var texts: [String] = []
        for target in targets {
            switch (target, self) {
            case (.string(let text), _): texts.append(text)
            // A signal is the text of a number or Boolean; the other attributes are never those.
            case (.number(let text), .signal): texts.append(ScriptNumber.text(ofJSON: text))
            case (.bool(let value), .signal): texts.append(value ? "true" : "false")
            default: break
            }
        }
        guard !texts.isEmpty else { throw Self.noneFits(path) }
        switch self {
        case .user, .application:
            return .isOneOf(texts, isAlwaysKnown: element == Self.user.element) {
                "\(element) in \($0)"
            }
        case .version, .signal:
            return .isOneOf(texts, isAlwaysKnown: false) { "\(element).exactlyMatches(\($0))" }
        }
    }

    /// The error for values whose types no value of the attribute has.
    private static func noneFits(_ path: TemplatePath) -> InexpressibleTargeting {
        InexpressibleTargeting(
            path: path, reason: "no value of its clause is of a type that the attribute can have")
    }

    private func search(
        _ operation: String, _ targets: [JSONNode], _ path: TemplatePath
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        switch self {
        case .user, .application:
            throw InexpressibleTargeting(
                path: path,
                reason: "\(operation) searches in \(element), which conditions only compare as a "
                    + "whole; send it as a custom signal, and add a condition")
        case .version, .signal: break
        }
        let texts = targets.compactMap(\.stringValue)
        guard !texts.isEmpty else { throw Self.noneFits(path) }
        let (method, patterns) =
            switch operation {
            case "contains": ("contains", texts)
            case "startsWith": ("matches", texts.map { "^" + $0.escapedPattern })
            case "endsWith": ("matches", texts.map { $0.escapedPattern + "$" })
            default: ("matches", texts)
            }
        let list = patterns.map(\.quotedLiteral).joined(separator: ", ")
        return TargetingExpression("\(element).\(method)([\(list)])")
    }

    private func compare(
        _ comparison: String, _ targets: [JSONNode], _ path: TemplatePath
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        guard case .signal = self else { throw Self.noneFits(path) }
        var rules: [TargetingExpression] = []
        for case .number(let text) in targets {
            let number = ScriptNumber.text(ofJSON: text)
            guard
                !number.utf8.contains(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "I") })
            else {
                throw InexpressibleTargeting(
                    path: path, reason: "the number \(text.shortened) has too many digits")
            }
            rules.append(TargetingExpression("\(element) \(comparison) \(number)"))
        }
        guard !rules.isEmpty else { throw Self.noneFits(path) }
        return .any(rules)
    }

    private func compareVersions(
        _ comparison: String, _ targets: [JSONNode], _ path: TemplatePath
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        var rules: [TargetingExpression] = []
        for case .string(let text) in targets {
            guard Self.isVersion(text) else {
                throw InexpressibleTargeting(
                    path: path,
                    reason:
                        "\"\(text.shortened)\" is not a version of one to three numbers, such as "
                        + "1.2.0; conditions compare no others")
            }
            // The versions of LaunchDarkly have none, so that such a value fits nobody.
            guard !Self.hasLeadingZero(text) else {
                throw InexpressibleTargeting(
                    path: path,
                    reason: "the version \"\(text.shortened)\" has a leading zero, so it is never "
                        + "equal, less or greater in LaunchDarkly; correct it, or remove it from "
                        + "the clause")
            }
            switch self {
            case .user, .application: throw Self.noneFits(path)
            case .version:
                rules.append(TargetingExpression("\(element).\(comparison)(['\(text)'])"))
            case .signal:
                rules.append(TargetingExpression("version(\(element)) \(comparison) '\(text)'"))
            }
        }
        guard !rules.isEmpty else { throw Self.noneFits(path) }
        return .any(rules)
    }

    private static func hasLeadingZero(_ version: String) -> Bool {
        version.parts(between: ".").contains { part in
            part.utf8.count > 1 && part.utf8.first == UInt8(ascii: "0")
        }
    }

    /// True for one to three numbers between dots.
    private static func isVersion(_ text: String) -> Bool {
        let parts = text.parts(between: ".")
        return parts.count <= 3
            && parts.allSatisfy { part in
                (1...15).contains(part.utf8.count)
                    && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }
}
