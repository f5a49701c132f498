import Foundation
import LinearRegex

/// The conditions of a template as one program of rules and jumps.
///
/// Each signal is read once per evaluation, into registers, each a number that is NaN while it is
/// unknown. Texts that rules compare for equality are interned, so most rules compare two numbers.
/// `!` is pushed down to the rules (De Morgan), after which an unknown rule can count as false: the
/// result is true exactly when Kleene's is.
///
/// A class of constants, so that an evaluation counts no references to them.
final class ConditionProgram: Sendable {
    /// A rule as plain data, so that copying it counts no references.
    enum Operation: Sendable {
        /// The user's percentile is above one bound and at most the other.
        case percent(register: Int, start: Int, end: Int, above: Double, upTo: Double)
        /// The value equals a text, by its number.
        case equals(register: Int, literal: Double)
        /// The value equals one of the texts, by their numbers.
        case isOneOf(register: Int, start: Int, end: Int)
        /// The value contains one of the parts.
        case contains(text: Int, start: Int, end: Int)
        /// A regular expression is found in the value; the register keeps the result.
        case matches(register: Int, text: Int, expression: Int)
        /// The value compares as a number.
        case number(register: Int, Comparison, Double)
        /// The value, from the register on, compares as a version.
        case version(register: Int, Comparison, target: Int)
        /// The time compares, in seconds.
        case date(Comparison, Double)
    }

    /// A rule and its jumps.
    struct Instruction: Sendable {
        let operation: Operation
        let isNegated: Bool
        /// The next instruction when the rule is true; ``accept``, or ``reject``.
        let onTrue: Int
        /// The next instruction when the rule is false or unknown.
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

    /// The number of values that are searched.
    let textCount: Int

    /// The hashed prefixes of all seeds.
    let seeds: [UInt8]

    /// The texts that rules compare values with, sorted, without duplicates; the number of a text
    /// is its index.
    let literals: [ExactText]

    /// The numbers of the texts of rules, sorted within the range of each rule.
    let lists: [Double]

    let parts: TextSearches

    /// The regular expressions, each once for each value that it is searched in.
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
        parts = compiler.parts
        expressions = compiler.expressions
        versionSegments = compiler.versionSegments
    }
}

extension ConditionProgram {
    /// A value of the context, and the places for each form in which rules need it.
    struct Slot: Sendable {
        struct Key: Sendable, Hashable {
            let subject: Subject
            /// True when white space around it is ignored.
            let isTrimmed: Bool
        }

        let key: Key

        /// The register of the text's index in ``literals``, which is -1 for other texts; nil when no
        /// rule compares it.
        var literal: Int?

        /// The register of the text as a number.
        var number: Int?

        /// The first of the registers of the text as a version.
        var version: Int?

        /// The number among the texts that rules search.
        var text: Int?
    }
}
