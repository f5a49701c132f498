import JSONTree

extension LaunchDarklyReader {
    /// Maximum number of segments within each other.
    private static let maximumSegmentDepth = 20

    /// Reads a clause, of a rule of a flag or of another segment, that is true for the users of one
    /// of some segments.
    mutating func readSegmentMatch(
        _ keys: [String], _ path: TemplatePath, inSegment: Bool
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
                expression = try readSegment(segment)
            } catch {
                // The place and the reason in the innermost segment suffice.
                if inSegment { throw error }
                throw InexpressibleTargeting(
                    path: path,
                    reason:
                        "the segment \"\(key.shortened)\" cannot be a condition (\(error.path)): "
                        + error.reason)
            }
            repeatableCharacters -= expression.length
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
        _ segment: LaunchDarklySegment
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        let key = ExactText(segment.key)
        if let result = segmentResults[key] { return try result.get() }
        let result: Result<TargetingExpression, InexpressibleTargeting>
        do throws(InexpressibleTargeting) {
            let depth = segmentDepths[key]
            guard let depth, depth <= Self.maximumSegmentDepth else {
                throw InexpressibleTargeting(
                    path: segment.path,
                    reason: depth == nil
                        ? "it contains itself, or a segment that does"
                        : "more than \(Self.maximumSegmentDepth) segments contain each other")
            }
            result = .success(try readContent(of: segment))
        } catch {
            result = .failure(error)
        }
        segmentResults[key] = result
        return try result.get()
    }

    private mutating func readContent(
        of segment: LaunchDarklySegment
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
            let path = rulesPath.element(index)
            let rule = values.found.object(node, path)
            if Self.matchesNobody(rule) { continue }
            rules.append(try readRule(rule, path, of: segment))
        }
        var operands = included.isEmpty ? [] : [Self.isUser(in: included)]
        if !rules.isEmpty {
            let any = TargetingExpression.any(rules)
            operands.append(
                excluded.isEmpty ? any : .all([Self.isUser(in: excluded).negated, any]))
        }
        return .any(operands)
    }

    /// The depth of each segment that does not contain itself: 1 without other segments.
    func depthsOfSegments() -> [ExactText: Int] {
        var containing: [ExactText: [ExactText]] = [:]
        var unresolvedCounts: [ExactText: Int] = [:]
        var resolved: [ExactText] = []
        for (name, segment) in segments {
            let rules = segment.members["rules"]?.arrayValue ?? []
            let clauses = rules.lazy.flatMap { $0["clauses"]?.arrayValue ?? [] }
            let keys = clauses.filter { $0["op"] == "segmentMatch" }
                .flatMap { ($0["values"]?.arrayValue ?? []).compactMap(\.stringValue) }
            let key = ExactText(name)
            for other in keys where segments[other] != nil {
                containing[ExactText(other), default: []].append(key)
                unresolvedCounts[key, default: 0] += 1
            }
            if unresolvedCounts[key] == nil { resolved.append(key) }
        }
        var depths: [ExactText: Int] = [:]
        var index = 0
        // Each segment follows all that it contains, the deepest one last.
        while index < resolved.count {
            let key = resolved[index]
            index += 1
            let depth = depths[key] ?? 1
            depths[key] = depth
            for other in containing[key] ?? [] {
                unresolvedCounts[other, default: 0] -= 1
                guard unresolvedCounts[other] == 0 else { continue }
                depths[other] = depth + 1
                resolved.append(other)
            }
        }
        return depths
    }

    private static func isUser(in ids: [String]) -> TargetingExpression {
        .isOneOf(ids, isAlwaysKnown: true) { "user.id in \($0)" }
    }

    /// Reads a rule of a segment, which may include only a share of the users.
    private mutating func readRule(
        _ members: NamedValues<JSONNode>, _ path: TemplatePath, of segment: LaunchDarklySegment
    ) throws(InexpressibleTargeting) -> TargetingExpression {
        let clauses = try readClauses(
            array(members["clauses"], path.member("clauses")), path.member("clauses"),
            inSegment: true)
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
        // The seeds of rollouts that have a number in LaunchDarkly are not in `seeds`.
        let numbered = "seed"
        let isNumbered =
            stem.utf8.starts(with: numbered.utf8) && Int(stem.dropFirst(numbered.count)) != nil
        return seeds.take(nearest: stem.isEmpty || isNumbered ? "_\(stem)" : stem)
    }

    /// Makes conditions of the segments that no rule names, for use in the console.
    mutating func addUnusedSegments() {
        for segment in segments.values where !usedSegments.contains(name: segment.key) {
            do throws(InexpressibleTargeting) {
                for text in try readSegment(segment).conditionTexts {
                    try check(text, segment.path)
                    conditions.addUnused(name: segment.conditionName, expression: text)
                }
            } catch {
                values.report.add(error.path, "the segment is left out: \(error.reason)")
            }
        }
    }
}
