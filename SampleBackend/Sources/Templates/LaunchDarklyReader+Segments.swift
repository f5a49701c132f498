import JSONTree

extension LaunchDarklyReader {
    /// Maximum number of segments within each other.
    private static let maximumSegmentDepth = 20

    /// Reads a clause that is true for the users of one of some segments.
    mutating func readSegmentMatch(
        _ keys: [String], _ path: TemplatePath, in chain: [ExactText]
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        var expressions: [TargetingExpression] = []
        for key in keys {
            usedSegments.insert(ExactText(key))
            guard let segment = segments[key] else {
                throw InexpressibleTargeting(
                    path: path,
                    reason: "the file has no segment \"\(key.shortened)\"; add the \"segments\" of "
                        + "the environment to it")
            }
            let expression: TargetingExpression
            do throws(InexpressibleTargeting) {
                expression = try readSegment(segment, in: chain)
            } catch {
                throw InexpressibleTargeting(
                    path: path,
                    reason:
                        "the segment \"\(key.shortened)\" cannot be a condition (\(error.path)): "
                        + error.reason)
            }
            repeatableCharacters -= expression.text.utf8.count
            guard repeatableCharacters >= 0 else {
                throw InexpressibleTargeting(
                    path: path, reason: "its segments are too long to be repeated in each rule")
            }
            expressions.append(expression)
        }
        return .any(expressions)
    }

    /// Reads a segment once.
    private mutating func readSegment(
        _ segment: LaunchDarklySegment, in chain: [ExactText]
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        let key = ExactText(segment.key)
        if let result = segmentResults[key] { return try result.get() }
        let result: Result<TargetingExpression, InexpressibleTargeting>
        do throws(InexpressibleTargeting) {
            guard !chain.contains(key), chain.count < Self.maximumSegmentDepth else {
                throw InexpressibleTargeting(
                    path: segment.path,
                    reason: chain.contains(key)
                        ? "it contains itself"
                        : "more than \(Self.maximumSegmentDepth) segments contain each other")
            }
            result = .success(try readContent(of: segment, in: chain + [key]))
        } catch {
            result = .failure(error)
        }
        segmentResults[key] = result
        return try result.get()
    }

    private mutating func readContent(
        of segment: LaunchDarklySegment, in chain: [ExactText]
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        let (members, path) = (segment.members, segment.path)
        guard !boolean(members["unbounded"], path.member("unbounded")) else {
            throw InexpressibleTargeting(
                path: path,
                reason: "it is a big segment, whose members are not in the file; send the "
                    + "membership as a custom signal")
        }
        for name in ["includedContexts", "excludedContexts"] {
            let lists = array(members[name], path.member(name))
            if lists.contains(where: { $0["values"]?.arrayValue?.isEmpty == false }) {
                throw InexpressibleTargeting(
                    path: path.member(name),
                    reason: "it lists contexts of other kinds, and conditions know only users")
            }
        }
        let included = texts(members["included"], path.member("included"))
        let excluded = texts(members["excluded"], path.member("excluded"))
        var rules: [TargetingExpression] = []
        let rulesPath = path.member("rules")
        for (index, node) in array(members["rules"], rulesPath).enumerated() {
            rules.append(try readRule(node, rulesPath.element(index), of: segment, in: chain))
        }
        var operands = included.isEmpty ? [] : [Self.isUser(in: included)]
        if !rules.isEmpty {
            let any = TargetingExpression.any(rules)
            operands.append(
                excluded.isEmpty ? any : .all([Self.isUser(in: excluded).negated, any]))
        }
        return .any(operands)
    }

    private static func isUser(in ids: [String]) -> TargetingExpression {
        .isOneOf(ids, isAlwaysKnown: true) { "user.id in \($0)" }
    }

    /// Reads a rule of a segment, which may include only a share of the users.
    private mutating func readRule(
        _ node: JSONNode, _ path: TemplatePath, of segment: LaunchDarklySegment,
        in chain: [ExactText]
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        let members = values.found.object(node, path)
        let clauses = try readClauses(
            array(members["clauses"], path.member("clauses")), path.member("clauses"), in: chain)
        guard let weight = count(members["weight"], path.member("weight")) else { return clauses }
        if weight >= LaunchDarklyShare.count { return clauses }
        if weight == 0 { return .never }
        try checkBucketing(members, path, by: "bucketBy", kind: "rolloutContextKind")
        let seed = segmentSeeds[name: segment.key] ?? newSeed(nearest: segment.key)
        segmentSeeds[ExactText(segment.key)] = seed
        values.report.add(
            path,
            "percent('\(seed)') draws the users anew, so others than in LaunchDarkly are in the "
                + "segment")
        let share = LaunchDarklyShare(variation: 0, lower: 0, upper: weight)
        return .all([clauses, share.expression(seed: seed)])
    }

    /// Refuses shares of anything but users by their keys.
    func checkBucketing(
        _ members: NamedValues<JSONNode>, _ path: TemplatePath, by attribute: String?, kind: String
    ) throws(InexpressibleTargeting) {
        let name = attribute.flatMap { members[$0]?.stringValue } ?? ""
        guard ["", "key", "/key"].contains(name) else {
            throw InexpressibleTargeting(
                path: path,
                reason: "it draws by the attribute \"\(name.shortened)\", and percent only by the "
                    + "user's ID")
        }
        let kind = members[kind]?.stringValue ?? ""
        guard Self.isUser(kind) else {
            throw InexpressibleTargeting(
                path: path,
                reason:
                    "it draws contexts of the kind \"\(kind.shortened)\", and percent only users")
        }
    }

    /// An unused seed, as near to a key as possible.
    mutating func newSeed(nearest key: String) -> String {
        let maximumLength = 26
        let isSeed = key.utf8.allSatisfy { byte in
            ParameterKey.isWord(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        let stem =
            isSeed
            ? String(key.prefix(maximumLength))
            : ParameterKey(nearest: key, maximumLength: maximumLength).text
        return seeds.take(nearest: stem.isEmpty ? "_" : stem)
    }

    /// Makes conditions of the segments that no rule names, for use in the console.
    mutating func addUnusedSegments() {
        for segment in segments.values where !usedSegments.contains(name: segment.key) {
            do throws(InexpressibleTargeting) {
                for text in try readSegment(segment, in: []).conditionTexts {
                    try check(text, segment.path)
                    conditions.addUnused(name: segment.conditionName, expression: text)
                }
            } catch {
                values.report.add(error.path, "the segment is left out: \(error.reason)")
            }
        }
    }
}
