/// A section or setting that does not have the format's shape and is left out (FORMAT 3.2, 3.3).
package struct ShapeProblem: Sendable, Hashable {
    /// Number of problems reported per document; a publisher controls how many there are.
    static let maximumCount = 50

    /// Bounds the problems kept while a document is read, since only ``maximumCount`` are reported.
    package struct Allowance {
        private var remaining = 1_000

        package init() {}

        /// True when one more may be kept.
        mutating func take() -> Bool {
            remaining -= 1
            return remaining >= 0
        }
    }

    /// Empty for the section itself.
    let settingName: String
    /// The end of a sentence about the section or the setting.
    let reason: String

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
}

extension SettingValue {
    /// For a message about the shape, such as "a string".
    var kindInJSON: String {
        if case .integer = self { return "a number" }
        return kindDescription
    }
}
