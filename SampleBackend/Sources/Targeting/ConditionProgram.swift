import Foundation
import JSONTree
import LinearRegex

/// The conditions of a template as one program of rules and jumps.
///
/// An evaluation reads each signal once, into registers: numbers that are NaN while unknown. Texts
/// that rules compare for equality are interned, so most rules compare two numbers. `!` is pushed
/// down to the rules (De Morgan), so an unknown rule can count as false: the result is true exactly
/// when Kleene's is.
///
/// A class of constants, so that an evaluation does no reference counting.
final class ConditionProgram: Sendable {
    /// A rule as trivial data, so that copying it does no reference counting.
    enum Operation: Sendable {
        /// The user's percentile is above one bound and at most the other bound.
        case percent(register: Int, start: Int, end: Int, above: Double, upTo: Double)
        /// The value equals a text, given by its number.
        case equals(register: Int, literal: Double)
        /// The value equals one of the texts, given by their numbers.
        case isOneOf(register: Int, start: Int, end: Int)
        /// The value is one of the languages, or extends one.
        case isInLanguages(text: Int, start: Int, end: Int)
        /// The value contains one of the parts.
        case contains(text: Int, start: Int, end: Int)
        /// A regular expression matches a part of the value; the register keeps the result.
        case matches(register: Int, text: Int, expression: Int)
        /// The value compares as a number.
        case number(register: Int, Comparison, Double)
        /// The value compares as a version; its segments start at the register.
        case version(register: Int, Comparison, target: Int)
        /// The time compares, in seconds.
        case date(Comparison, Double)
    }

    /// A rule and its jumps.
    struct Instruction: Sendable {
        let operation: Operation
        let isNegated: Bool
        /// The next instruction if the rule is true, or ``accept`` or ``reject``.
        let onTrue: Int
        /// The next instruction if the rule is false or unknown.
        let onFalse: Int
    }

    /// Jump target of a true condition.
    static let accept = -1

    /// Jump target of a false or unknown condition.
    static let reject = -2

    let instructions: [Instruction]

    /// The first instruction of each condition.
    let entries: [Int]

    let slots: [Slot]

    let registerCount: Int

    /// Number of searched values.
    let textCount: Int

    /// The hashed prefixes of all seeds.
    let seeds: [UInt8]

    /// The texts that rules compare values with, sorted and without duplicates.
    ///
    /// A text's number is its index.
    let literals: [ExactText]

    /// The numbers of the rules' texts, sorted within the range of each rule.
    let lists: [Double]

    /// The languages of the rules, side by side.
    let languages: [LanguageRange]

    let parts: TextSearches

    /// The regular expressions, one for each value that it is searched in.
    let expressions: [RegularExpression]

    /// The segments of versions, ``VersionNumber/maximumSegments`` each.
    let versionSegments: [Double]

    init(_ conditions: [TargetingCondition]) {
        let compiler = ConditionCompiler(conditions)
        instructions = compiler.instructions
        entries = compiler.entries
        slots = compiler.slots
        registerCount = compiler.registerCount
        textCount = compiler.textCount
        seeds = compiler.seeds
        literals = compiler.literals
        lists = compiler.lists
        languages = compiler.languages
        parts = compiler.parts
        expressions = compiler.expressions
        versionSegments = compiler.versionSegments
    }
}

extension ConditionProgram {
    /// A value of the context, and where to put each form that rules need.
    struct Slot: Sendable {
        struct Key: Sendable, Hashable {
            let subject: Subject
            /// True when white space around it is ignored.
            let isTrimmed: Bool
        }

        let key: Key

        /// The register for the text's index in ``literals``, or -1 for other texts; nil when no
        /// rule compares it.
        var literal: Int?

        /// The register for the text as a number.
        var number: Int?

        /// The first register for the text as a version.
        var version: Int?

        /// The index among the texts that rules search.
        var text: Int?
    }
}
