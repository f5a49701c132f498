import Foundation
import JSONTree
import LinearRegex

extension ConditionParser {
    /// Parses one rule, or `true` or `false`.
    mutating func parseRule() throws(ConditionSyntaxError) -> ConditionNode {
        let start = position
        let element = try parseElement()
        switch element {
        case .true: return .constant(true)
        case .false: return .constant(false)
        default: break
        }
        var isNegated = false
        let test = try parseTest(of: element, isNegated: &isNegated)
        return .rule(Rule(test: test, isNegated: isNegated, text: text(from: start)))
    }

    /// Parses the name of an element.
    mutating func parseElement() throws(ConditionSyntaxError) -> ConditionElement {
        let word = word(at: position)
        let parts = word.split(separator: ".")
        // In `app.version.contains` the name of the element ends before the method.
        for count in [2, 1] where parts.count >= count {
            let name = parts.prefix(count).joined(separator: ".")
            if let element = ConditionElement(rawValue: name) {
                position += name.utf8.count
                return element
            }
        }
        guard !word.isEmpty else {
            throw error("expected a rule such as device.os == 'ios', found \(found)")
        }
        let name = parts.prefix(2).joined(separator: ".")
        if let nearest = ConditionElement.nearest(to: name) {
            throw error("unknown element '\(name)'; did you mean '\(nearest.rawValue)'?")
        }
        let names = ConditionElement.allCases.map(\.rawValue).joined(separator: ", ")
        throw error("unknown element '\(name.shortened)'; expected one of \(names)")
    }

    /// Parses the test that follows an element.
    private mutating func parseTest(
        of element: ConditionElement, isNegated: inout Bool
    ) throws(ConditionSyntaxError) -> Rule.Test {
        switch element {
        case .appID: return try parseEquality(.signal(.appID), "an app ID", &isNegated)
        case .deviceOS:
            return try parseEquality(.signal(.deviceOS), "an operating system", &isNegated)
        case .userID: return try parseEquality(.userID, "a user ID", &isNegated)
        case .deviceCountry:
            return try parseMembership(.signal(.deviceCountry), "'US'", "a country")
        case .deviceLanguage: return try parseLanguages(&isNegated)
        case .appVersion: return try parseVersionMethod(.signal(.appVersion), &isNegated)
        case .appBuild: return try parseVersionMethod(.signal(.appBuild), &isNegated)
        case .customSignal:
            let key = try parseKey(of: element)
            return try parseValueTest(.signal(.custom(ExactText(key))), of: element, &isNegated)
        case .userProperty:
            _ = try parseKey(of: element)
            _ = try parseValueTest(.signal(.custom("")), of: element, &isNegated)
            isNegated = false
            return .unevaluated(element: element.rawValue)
        case .version: return try parseSignalVersion()
        case .percent: return try parsePercent()
        case .dateTime: return try parseDateTime()
        default:
            try parseUnevaluated(element)
            return .unevaluated(element: element.rawValue)
        }
    }

    /// Parses `== 'a'`, `!= 'a'` or `in ['a', 'b']`.
    private mutating func parseEquality(
        _ subject: Subject, _ purpose: String, _ isNegated: inout Bool
    ) throws(ConditionSyntaxError) -> Rule.Test {
        skipSpace()
        if takeWord("in") {
            skipSpace()
            return .isOneOf(subject, try parseList(purpose).map(\.text), isTrimmed: false)
        }
        isNegated = isNext("!=")
        guard take("==") || take("!=") else {
            throw error("expected '==', '!=' or 'in' after \(subject.name), found \(found)")
        }
        skipSpace()
        return .isOneOf(subject, [try parseLiteral(purpose)], isTrimmed: false)
    }

    /// Parses `in ['a', 'b']`.
    private mutating func parseMembership(
        _ subject: Subject, _ example: String, _ purpose: String
    ) throws(ConditionSyntaxError) -> Rule.Test {
        skipSpace()
        guard takeWord("in") else {
            let start = position
            var value = example
            if take("==") || take("!=") {
                skipSpace()
                let place = position
                if (try? parseLiteral(purpose)) != nil { value = quoted(from: place) ?? value }
            }
            throw error(
                at: start,
                "expected 'in' after \(subject.name); use \(subject.name) in [\(value)]")
        }
        skipSpace()
        return .isOneOf(subject, try parseList(purpose).map(\.text), isTrimmed: false)
    }

    /// Parses `in ['de', 'pt-BR']`, or a method that compares the text.
    private mutating func parseLanguages(
        _ isNegated: inout Bool
    ) throws(ConditionSyntaxError) -> Rule.Test {
        let subject = Subject.signal(.deviceLanguage)
        if take(".") {
            return try parseStringMethod(subject, of: subject.name, &isNegated, isVersion: false)
        }
        let test = try parseMembership(subject, "'en-US'", "a language")
        guard case .isOneOf(_, let texts, _) = test else { return test }
        return .isInLanguages(subject, texts.map { LanguageRange($0) }, names: texts)
    }

    /// Parses a method of `app.version` or `app.build`.
    private mutating func parseVersionMethod(
        _ subject: Subject, _ isNegated: inout Bool
    ) throws(ConditionSyntaxError) -> Rule.Test {
        guard take(".") else {
            throw methodError(subject.name, "['1.0.1'])", "'.' and a method", isVersion: true)
        }
        guard let comparison = takeComparison() else {
            return try parseStringMethod(subject, of: subject.name, &isNegated, isVersion: true)
        }
        let start = position
        let items = try parseArguments(of: ".\(comparison.rawValue)", "a version")
        guard let item = items.first, items.count == 1 else {
            throw error(
                at: start, ".\(comparison.rawValue) takes one version; use .exactlyMatches for many"
            )
        }
        guard let version = VersionNumber(appVersion: item.text) else {
            throw error(
                at: item.place,
                "'\(item.text.shortened)' is not a version; write at most "
                    + "\(VersionNumber.maximumSegments) numbers of at most 15 digits "
                    + "between dots, such as '1.0.1'")
        }
        return .version(subject, comparison, version)
    }

    /// Parses the name of a string method, after its dot, with its arguments.
    private mutating func parseStringMethod(
        _ subject: Subject, of name: String, _ isNegated: inout Bool, isVersion: Bool
    ) throws(ConditionSyntaxError) -> Rule.Test {
        if takeWord("contains") {
            return .contains(subject, try parseArguments(of: ".contains", "a text").map(\.text))
        }
        if takeWord("notContains") {
            isNegated = true
            return .contains(subject, try parseArguments(of: ".notContains", "a text").map(\.text))
        }
        if takeWord("exactlyMatches") {
            let items = try parseArguments(of: ".exactlyMatches", "a text")
            return .isOneOf(subject, items.map(\.text), isTrimmed: false)
        }
        if takeWord("matches") {
            let items = try parseArguments(of: ".matches", "a regular expression")
            return try parseExpressions(items, in: subject)
        }
        let comparisons = isVersion ? "<, <=, >, >=, ==, !=, " : ""
        throw error(
            "unknown method of \(name); expected one of \(comparisons)contains, notContains, "
                + "exactlyMatches, matches")
    }

    /// Parses regular expressions; errors have the column in the whole expression.
    private mutating func parseExpressions(
        _ items: [(text: String, place: Int)], in subject: Subject
    ) throws(ConditionSyntaxError) -> Rule.Test {
        do throws(RegularExpressionError) {
            return .matches(subject, try budget.expression(items.map(\.text), in: subject))
        } catch {
            let place = place(ofScalar: error.offset, inLiteralAt: items[error.index].place)
            let located = self.error(at: place, "in the regular expression: \(error.reason)")
            guard error.kind != .syntax else { throw located }
            try exceed(located)
            return .never(reason: error.reason)
        }
    }

    /// The error for an element without a method.
    private mutating func methodError(
        _ name: String, _ example: String, _ expected: String, isVersion: Bool
    ) -> ConditionSyntaxError {
        let start = position
        skipSpace()
        if next == UInt8(ascii: "."), position > start {
            return error(at: start, "remove the space between \(name) and '.'")
        }
        if isVersion {
            let place = position
            if let comparison = takeComparison() {
                let argument = typedVersion().map { "['\($0)'])" } ?? example
                return error(at: place, "use \(name).\(comparison.rawValue)(\(argument)")
            }
        }
        return error("expected \(expected) after \(name), found \(found)")
    }

    /// The version that follows, with or without its quotes, for use in advice; nil without one.
    private mutating func typedVersion() -> String? {
        skipSpace()
        if next == UInt8(ascii: "'") || next == UInt8(ascii: "\"") { position += 1 }
        let start = position
        while let byte = next, byte == UInt8(ascii: ".") || (0x30...0x39).contains(byte) {
            position += 1
        }
        let version = text(from: start)
        return VersionNumber(appVersion: version) == nil ? nil : version
    }

    /// Parses a comparison; nil when there is none next.
    mutating func takeComparison() -> Comparison? {
        if take("<=") { return .lessOrEqual }
        if take(">=") { return .greaterOrEqual }
        if take("==") { return .equal }
        if take("!=") { return .notEqual }
        if take("<") { return .less }
        if take(">") { return .greater }
        return nil
    }

    /// The literal from a byte offset to the current position, for use in advice; nil when it is
    /// too long.
    private func quoted(from start: Int) -> String? {
        let literal = text(from: start)
        return literal.shortened.hasSameBytes(as: literal) ? literal : nil
    }

    /// Parses a string method, or a comparison with a number.
    private mutating func parseValueTest(
        _ subject: Subject, of element: ConditionElement, _ isNegated: inout Bool
    ) throws(ConditionSyntaxError) -> Rule.Test {
        let name = element.rawValue
        if take(".") {
            return try parseStringMethod(subject, of: name, &isNegated, isVersion: false)
        }
        let start = position
        skipSpace()
        guard let comparison = takeComparison() else {
            if next == UInt8(ascii: "."), position > start {
                throw error(at: start, "remove the space before '.'")
            }
            throw error("expected a method such as .contains, or a comparison, found \(found)")
        }
        skipSpace()
        guard next != UInt8(ascii: "'") else {
            let place = position
            let isText = (try? parseLiteral("a text")) != nil
            let hint = (isText ? quoted(from: place) : nil) ?? "'…'"
            throw error(
                at: place, "expected a number; for a text use .exactlyMatches([\(hint)])")
        }
        return .number(subject, comparison, try parseNumber())
    }

    /// Parses `(app.customSignal['k']) >= '1.2.0'`.
    private mutating func parseSignalVersion() throws(ConditionSyntaxError) -> Rule.Test {
        try expectOpening(after: "version")
        skipSpace()
        guard takeWord("app.customSignal") else {
            throw error("expected app.customSignal['…'], found \(found)")
        }
        let key = try parseKey(of: .customSignal)
        try expectClosing()
        skipSpace()
        guard let comparison = takeComparison() else {
            throw error("expected one of <, <=, >, >=, ==, !=, found \(found)")
        }
        skipSpace()
        let place = position
        let literal = try parseLiteral("a version")
        guard let version = VersionNumber(signal: literal),
            literal.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            literal.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty })
        else {
            throw error(
                at: place,
                "'\(literal.shortened)' is not a version; write at most "
                    + "\(VersionNumber.maximumSignalSegments) numbers between dots, such as "
                    + "'1.2.0'")
        }
        return .version(.signal(.custom(ExactText(key))), comparison, version)
    }
}
