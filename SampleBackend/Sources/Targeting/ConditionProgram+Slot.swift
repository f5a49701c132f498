import LinearRegex

extension ConditionProgram {
    /// A value that rules look at, and how they read it.
    struct Slot: Sendable {
        /// What makes two slots one.
        struct Key: Sendable, Hashable {
            /// The value.
            let subject: Subject
            /// Whether white space around it is ignored.
            let isTrimmed: Bool
        }

        /// What a user has.
        struct Value {
            /// The text to look for something in; nil when there is none, or it is too long.
            var text: String?
            /// The number of the text; -1 when no rule has it, nil when there is no text.
            var literal: Int?
            /// The text as a number; NaN when it is none.
            var number = Double.nan
            /// The text as a version; nil when it is none.
            var version: VersionNumber?
            /// The text as regular expressions are looked for in it.
            var searchedText: SearchedText?
        }

        /// What it is.
        private let key: Key

        /// The numbers of the texts that rules compare with.
        private var numbers: [ExactText: Int] = [:]

        /// Whether a rule reads it as a number.
        var isNumber = false

        /// Whether a rule reads it as a version.
        var isVersion = false

        /// Whether a rule looks for regular expressions in it.
        var isSearched = false

        /// Makes a slot.
        ///
        /// - Parameter key: What it is.
        init(_ key: Key) {
            self.key = key
        }

        /// Gives a text of a rule its number.
        ///
        /// - Parameter text: The text.
        /// - Returns: The number, from 0.
        mutating func number(of text: String) -> Int {
            let text = ExactText(text)
            if let number = numbers[text] { return number }
            numbers[text] = numbers.count
            return numbers.count - 1
        }

        /// Looks the value up and reads it.
        ///
        /// - Parameter context: Who asks.
        /// - Returns: The value.
        func value(in context: TargetingContext) -> Value {
            guard var text = key.subject.value(in: context) else { return Value() }
            if key.isTrimmed { text = String(ScriptNumber.trimmed(text)) }
            var value = Value(text: Signals.searchable(text))
            if !numbers.isEmpty { value.literal = numbers[ExactText(text), default: -1] }
            if isNumber { value.number = ScriptNumber.value(of: text) }
            if isVersion { value.version = key.subject.version(text) }
            if isSearched { value.searchedText = value.text.map(SearchedText.init) }
            return value
        }
    }
}
