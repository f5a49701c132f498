/// The integers beyond `Int` in a value, which itself contains the nearest doubles.
///
/// A document is compared and written with their digits. They have at most 309 digits each: longer
/// ones are out of a double's range, which is an error (FORMAT 4.1).
package struct LargeIntegers: Sendable, Hashable {
    /// Sparse: a string of digits for an integer; for an array or object an object with only the
    /// items that contain any, keyed by index or name.
    let tree: SettingValue

    /// An item's: by a member's name, or an element's index as text.
    package subscript(item: String) -> LargeIntegers? { tree[item].map { LargeIntegers(tree: $0) } }

    /// The digits, if the value itself is such an integer.
    var digits: String? { tree.stringValue }

    /// By setting, if these belong to a section's `settings`.
    var bySetting: [String: LargeIntegers] {
        tree.dictionaryValue?.compactMapValues { setting in
            setting["value"].map { LargeIntegers(tree: $0) }
        } ?? [:]
    }

    /// The digits of one of them; the same one for equal values.
    private var first: String {
        var tree = tree
        while let item = tree.dictionaryValue?.min(by: { $0.key.precedes($1.key) }) {
            tree = item.value
        }
        return tree.stringValue ?? ""
    }

    /// Number of digits that are shown.
    private static let shownDigits = 40

    /// The end of a sentence about the setting, without digits for a secret.
    func problem(isSecret: Bool) -> String {
        let integer =
            isSecret
            ? "an integer that" : "the integer \(first.oneLine(upTo: Self.shownDigits)), which"
        return
            "\(digits == nil ? "has" : "is") \(integer) does not fit \(Int.bitWidth) bits and is read "
            + "as the nearest double; send it as a string"
    }
}
