/// A section or setting that does not have the format's shape and is left out (FORMAT 3.2, 3.3), or
/// a setting with an integer beyond `Int`, which is rounded (FORMAT 4.1).
struct ShapeProblem: Sendable, Hashable {
    /// Number of problems reported per document; a publisher controls how many there are.
    static let maximumCount = 50

    /// Bounds the problems kept while a document is read, since only ``maximumCount`` are reported.
    struct Allowance {
        private var remaining = 1_000
        private var remainingRounded = 1_000

        init() {}

        /// True when one more may be kept.
        mutating func take() -> Bool {
            remaining -= 1
            return remaining >= 0
        }

        /// True when one more about a rounded integer may be kept.
        mutating func takeRounded() -> Bool {
            remainingRounded -= 1
            return remainingRounded >= 0
        }
    }

    /// Empty for the section itself.
    let settingName: String
    /// The end of a sentence about the section or the setting.
    let reason: String
    /// The reason for a secret setting; nil when ``reason`` reveals nothing of the value.
    var maskedReason: String?

    /// A section that is not an object.
    static func section(_ kind: String) -> ShapeProblem {
        ShapeProblem(
            settingName: "", reason: "is \(kind) where an object with \"settings\" is expected")
    }

    static func settings(_ kind: String) -> ShapeProblem {
        ShapeProblem(
            settingName: "", reason: "has \"settings\" that are \(kind), not an object")
    }

    static let noSettings = ShapeProblem(settingName: "", reason: "has no \"settings\"")

    static func setting(_ name: String, _ kind: String) -> ShapeProblem {
        ShapeProblem(
            settingName: name,
            reason: "is \(kind) where {\"value\": …} is expected, so it is left out")
    }

    static func noValue(_ name: String) -> ShapeProblem {
        ShapeProblem(settingName: name, reason: "has no \"value\", so it is left out")
    }

    /// Number of an integer's digits that are shown.
    private static let shownDigits = 40

    /// A setting that is or contains an integer beyond `Int`.
    static func rounded(_ name: String, _ value: SettingValue, digits: String) -> ShapeProblem {
        let verb = value.isContainer ? "has" : "is"
        let rest =
            "does not fit \(Int.bitWidth) bits and is read as the nearest double; send it as a "
            + "string"
        return ShapeProblem(
            settingName: name,
            reason: "\(verb) the integer \(digits.oneLine(upTo: shownDigits)), which \(rest)",
            maskedReason: "\(verb) an integer that \(rest)")
    }
}

extension SettingValue {
    /// For a message about the shape, such as "a string".
    var kindInJSON: String {
        if case .integer = self { return "a number" }
        return kindDescription
    }
}
