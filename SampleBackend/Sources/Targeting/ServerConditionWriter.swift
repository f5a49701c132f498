import Foundation
import JSONTree
import LinearRegex

/// Writes a condition as one of Firebase's server templates, for the evaluators in Firebase's
/// server libraries.
///
/// Those have no negation and two values: a rule on a missing value is false. So the writer moves
/// each `!` to the rules, where it becomes the opposite rule, which is false without a value as
/// well. A rule that cannot be written counts as false, also if it is negated: the result is true
/// for no user for whom the condition is not.
struct ServerConditionWriter {
    /// The tree that is written.
    ///
    /// An empty `all` is true, an empty `any` is false; neither is an operand.
    private indirect enum Tree {
        case rule(JSONNode)
        case all([Tree])
        case any([Tree])
    }

    /// Maximum number of operands and of target values, as in Firebase.
    private static let maximumCount = ServerConditionReader.maximumOperands

    /// The keys under which Firebase's libraries have the user's ID: in Python, in Java and
    /// JavaScript, and in Go.
    private static let userIDKeys = ["randomization_id", "randomizationId", "randomizationID"]

    /// The value of `dateTime`.
    private let date: Date

    /// A sentence for each part that counts as false, without a full stop.
    private(set) var remarks: [String] = []

    init(date: Date) {
        self.date = date
    }

    /// Writes a condition; nil for one that is true for everyone, for which the libraries of Java
    /// and Go have no tree.
    mutating func write(_ node: ConditionNode) -> JSONNode? {
        let tree = withoutDeepParts(tree(of: node, where: true), level: 0)
        if case .all(let operands) = tree, operands.isEmpty { return nil }
        return Self.json(of: tree)
    }

    /// A tree that is true when a node has a value.
    private mutating func tree(of node: ConditionNode, where value: Bool) -> Tree {
        switch node {
        case .constant(let constant): Self.constant(constant == value)
        case .rule(let rule): tree(of: rule, where: value)
        case .not(let operand): tree(of: operand, where: !value)
        case .all(let nodes):
            value
                ? Self.all(trees(of: nodes, where: true))
                : Self.any(trees(of: nodes, where: false))
        case .any(let nodes):
            value
                ? Self.any(trees(of: nodes, where: true))
                : Self.all(trees(of: nodes, where: false))
        }
    }

    private mutating func trees(of nodes: [ConditionNode], where value: Bool) -> [Tree] {
        var trees: [Tree] = []
        for node in nodes { trees.append(tree(of: node, where: value)) }
        return trees
    }

    private static func constant(_ value: Bool) -> Tree { value ? .all([]) : .any([]) }

    private static func all(_ trees: [Tree]) -> Tree {
        var operands: [Tree] = []
        for tree in trees {
            switch tree {
            case .all(let nested): operands += nested
            case .any(let nested) where nested.isEmpty: return tree
            default: operands.append(tree)
            }
        }
        return operands.count == 1 ? operands[0] : .all(operands)
    }

    private static func any(_ trees: [Tree]) -> Tree {
        var operands: [Tree] = []
        for tree in trees {
            switch tree {
            case .any(let nested): operands += nested
            case .all(let nested) where nested.isEmpty: return tree
            default: operands.append(tree)
            }
        }
        return operands.count == 1 ? operands[0] : .any(operands)
    }

    /// The tree without what is nested deeper than Firebase allows.
    private mutating func withoutDeepParts(_ tree: Tree, level: Int) -> Tree {
        let operands: [Tree]
        switch tree {
        case .rule: return tree
        case .all(let trees), .any(let trees): operands = trees
        }
        // Long lists are split, which takes another level.
        let step = operands.count > Self.maximumCount ? 4 : 2
        guard operands.isEmpty || level + step < ServerConditionReader.maximumLevel else {
            remarks.append(
                "the part in the innermost parentheses counts as false, since Firebase allows four "
                    + "levels of them")
            return Self.constant(false)
        }
        var kept: [Tree] = []
        for operand in operands { kept.append(withoutDeepParts(operand, level: level + step)) }
        return if case .all = tree { Self.all(kept) } else { Self.any(kept) }
    }

    /// A tree that is not always true as JSON.
    private static func json(of tree: Tree) -> JSONNode {
        switch tree {
        case .rule(let rule): return rule
        case .all(let operands): return json("andCondition", operands)
        case .any(let operands):
            // Java's library refuses an `orCondition` without operands, and Go's knows no `false`.
            guard !operands.isEmpty else {
                return json(of: percent(seed: "", above: 0, upTo: 0, where: true))
            }
            return json("orCondition", operands)
        }
    }

    private static func json(_ name: String, _ operands: [Tree]) -> JSONNode {
        let nodes =
            operands.count > maximumCount
            ? operands.chunks(of: maximumCount).map { json(name, $0) } : operands.map(json)
        return [name: ["conditions": .array(nodes)]]
    }
}

extension ServerConditionWriter {
    /// A tree that is true when a rule has a value.
    private mutating func tree(of rule: Rule, where value: Bool) -> Tree {
        // The value that the test must have.
        let value = value != rule.isNegated
        switch rule.test {
        case .percent(let seed, let above, let upTo):
            return Self.percent(seed: seed, above: above, upTo: upTo, where: value)
        case .isOneOf(let subject, let texts, _):
            return isOneOf(subject, texts, of: rule, where: value)
        case .isInLanguages(let subject, _, let tags):
            let patterns = tags.compactMap {
                value ? PortablePattern.language($0) : PortablePattern.anythingBut(language: $0)
            }
            guard patterns.count == tags.count else { return omit(rule, Self.textReason) }
            return value
                ? Self.signal(subject, "STRING_CONTAINS_REGEX", anyOf: patterns)
                : Self.all(
                    patterns.map { Self.signal(subject, "STRING_CONTAINS_REGEX", anyOf: [$0]) })
        case .contains(let subject, let texts):
            return value
                ? Self.signal(subject, "STRING_CONTAINS", anyOf: texts)
                : Self.all(
                    texts.chunks(of: Self.maximumCount).map {
                        Self.signal(subject, "STRING_DOES_NOT_CONTAIN", anyOf: $0)
                    })
        case .matches(let subject, let expression):
            guard value else { return omit(rule, "a regular expression cannot be negated there") }
            guard let patterns = PortablePattern.translating(expression) else {
                return omit(
                    rule, "its regular expression means something else in the libraries' languages")
            }
            return Self.signal(subject, "STRING_CONTAINS_REGEX", anyOf: patterns)
        case .number(let subject, let comparison, let target):
            let comparison = value ? comparison : comparison.opposite
            return Self.signal(
                subject, "NUMERIC_\(comparison.serverName)",
                anyOf: [ScriptNumber.text(ofJSON: "\(target)")])
        case .version(let subject, let comparison, let version):
            guard let text = version.signalText else {
                return omit(
                    rule,
                    "a version has at most \(VersionNumber.maximumSignalSegments) numbers there")
            }
            let comparison = value ? comparison : comparison.opposite
            return Self.signal(
                subject, "SEMANTIC_VERSION_\(comparison.serverName)", anyOf: [text])
        case .date(let comparison, let target, _):
            let isTrue = comparison.holds(
                date.timeIntervalSinceReferenceDate, target.timeIntervalSinceReferenceDate)
            return Self.constant(isTrue == value)
        case .unevaluated, .never: return Self.constant(false)
        }
    }

    private static let textReason = "one of its texts cannot be compared there"

    private mutating func omit(_ rule: Rule, _ reason: String) -> Tree {
        remarks.append("the rule \(rule.text.shortened) counts as false: \(reason)")
        return Self.constant(false)
    }

    private mutating func isOneOf(
        _ subject: Subject, _ texts: [String], of rule: Rule, where value: Bool
    ) -> Tree {
        guard value else {
            let patterns = texts.compactMap { PortablePattern.anythingBut($0) }
            guard patterns.count == texts.count else { return omit(rule, Self.textReason) }
            return Self.all(
                patterns.map { Self.signal(subject, "STRING_CONTAINS_REGEX", anyOf: [$0]) })
        }
        // STRING_EXACTLY_MATCHES ignores the white space around both texts.
        let (plain, padded) = texts.reduce(into: ([String](), [String]())) { lists, text in
            if ScriptNumber.trimmed(text).utf8.count == text.utf8.count {
                lists.0.append(text)
            } else {
                lists.1.append(text)
            }
        }
        let patterns = padded.compactMap(PortablePattern.text)
        guard patterns.count == padded.count else { return omit(rule, Self.textReason) }
        return Self.any([
            Self.signal(subject, "STRING_EXACTLY_MATCHES", anyOf: plain),
            Self.signal(subject, "STRING_CONTAINS_REGEX", anyOf: patterns),
        ])
    }

    /// A rule on a custom signal, repeated for each key and as often as its targets require.
    private static func signal(
        _ subject: Subject, _ name: String, anyOf targets: [String]
    ) -> Tree {
        any(
            subject.serverKeys(ofUserID: userIDKeys).flatMap { key in
                targets.chunks(of: maximumCount).map { targets in
                    .rule([
                        "customSignal": [
                            "customSignalOperator": .string(name),
                            "customSignalKey": .string(key),
                            "targetCustomSignalValues": .array(targets.map { .string($0) }),
                        ]
                    ])
                }
            })
    }

    private static func percent(seed: String, above: Int, upTo: Int, where value: Bool) -> Tree {
        func rule(_ name: String, _ bounds: NamedValues<JSONNode>) -> Tree {
            var members: NamedValues<JSONNode> = ["percentOperator": .string(name)]
            if !seed.isEmpty { members["seed"] = .string(seed) }
            return .rule([
                "percent": .object(members.merging(bounds, uniquingKeysWith: { first, _ in first }))
            ])
        }
        func upToBound(_ bound: Int) -> Tree {
            rule("LESS_OR_EQUAL", ["microPercent": .number("\(bound)")])
        }
        func aboveBound(_ bound: Int) -> Tree {
            rule("GREATER_THAN", ["microPercent": .number("\(bound)")])
        }
        if above < 0 { return value ? upToBound(upTo) : aboveBound(upTo) }
        if upTo == Percentile.count { return value ? aboveBound(above) : upToBound(above) }
        guard value else { return any([upToBound(above), aboveBound(upTo)]) }
        return rule(
            "BETWEEN",
            [
                "microPercentRange": [
                    "microPercentLowerBound": .number("\(above)"),
                    "microPercentUpperBound": .number("\(upTo)"),
                ]
            ])
    }
}

extension Subject {
    /// The keys of a library's context that may have the value, one of them at a time.
    ///
    /// Signals have the names of OFREP's attributes, which ``SignalName/init(_:)`` reads.
    fileprivate func serverKeys(ofUserID userIDKeys: [String]) -> [String] {
        switch self {
        case .userID: userIDKeys
        case .signal(.custom(let name)):
            SignalName(name.text) == .custom(name)
                ? [name.text] : [SignalName.custom(name).queryName]
        case .signal(let name): [name.queryName]
        }
    }
}

extension Comparison {
    /// The comparison that accepts whatever this one does not.
    fileprivate var opposite: Comparison {
        switch self {
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .equal: .notEqual
        case .notEqual: .equal
        case .greaterOrEqual: .less
        case .greater: .lessOrEqual
        }
    }

    /// The end of the name of Firebase's operators.
    fileprivate var serverName: String {
        switch self {
        case .less: "LESS_THAN"
        case .lessOrEqual: "LESS_EQUAL"
        case .equal: "EQUAL"
        case .notEqual: "NOT_EQUAL"
        case .greaterOrEqual: "GREATER_EQUAL"
        case .greater: "GREATER_THAN"
        }
    }
}

extension VersionNumber {
    /// The version as the target of a rule on a custom signal; nil when it has too many numbers.
    fileprivate var signalText: String? {
        let all = (0..<Self.maximumSegments).map { self[$0] }
        let count = max(1, (all.lastIndex { $0 != 0 } ?? 0) + 1)
        let numbers = all.prefix(count).compactMap { Int(exactly: $0) }
        guard count <= Self.maximumSignalSegments, numbers.count == count else { return nil }
        return numbers.map(String.init).joined(separator: ".")
    }
}

extension Array {
    /// The elements in order, in parts of at most the given number.
    fileprivate func chunks(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map {
            Array(self[$0..<Swift.min($0 + count, self.count)])
        }
    }
}
