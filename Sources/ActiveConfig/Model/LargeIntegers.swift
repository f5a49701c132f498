/// The integers beyond `Int` in a value, which itself has the nearest doubles in their places.
///
/// A document is compared and written with their digits. They have at most 309 each, since a longer
/// one is beyond the range of a double, which is an error (FORMAT 4.1).
package struct LargeIntegers: Sendable, Hashable {
    /// Sparse: a string of digits in place of an integer; in place of an array or object an object of
    /// only those items that have any, an array's by their index.
    let tree: SettingValue

    /// Of an item: a member's name, or an element's index as text.
    package subscript(item: String) -> LargeIntegers? { tree[item].map { LargeIntegers(tree: $0) } }

    /// The digits, when the value is such an integer itself.
    var digits: String? { tree.stringValue }

    /// By setting, when these are of a section's `settings`.
    var bySetting: [String: LargeIntegers] {
        tree.dictionaryValue?.compactMapValues { setting in
            setting["value"].map { LargeIntegers(tree: $0) }
        } ?? [:]
    }

    /// The digits of one of them, always the same one of equal values.
    private var first: String {
        var tree = tree
        while let item = tree.dictionaryValue?.min(by: { $0.key.precedes($1.key) }) {
            tree = item.value
        }
        return tree.stringValue ?? ""
    }

    /// Number of digits that are shown.
    private static let shownDigits = 40

    /// The end of a sentence about the setting that has them, without digits for a secret.
    func problem(isSecret: Bool) -> String {
        let integer =
            isSecret
            ? "an integer that" : "the integer \(first.oneLine(upTo: Self.shownDigits)), which"
        return
            "\(digits == nil ? "has" : "is") \(integer) does not fit \(Int.bitWidth) bits and is read "
            + "as the nearest double; send it as a string"
    }
}
