/// A section or a setting of another shape than the format's, which is left out (FORMAT 3.2, 3.3).
package struct ShapeProblem: Sendable, Hashable {
    /// Number of problems that are given of a document; a publisher decides how many there are.
    static let maximumCount = 50

    /// Bounds the problems that are kept of a document while it is read, since only
    /// ``maximumCount`` are given.
    package struct Allowance {
        private var remaining = 1_000

        package init() {}

        /// True when one more is kept.
        mutating func take() -> Bool {
            remaining -= 1
            return remaining >= 0
        }
    }

    /// Empty: the section itself.
    let settingName: String
    /// The end of a sentence about the section or the setting.
    let reason: String

    /// A section of another kind than an object.
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
