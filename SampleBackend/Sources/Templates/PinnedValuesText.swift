package import Foundation
import JSONTree

/// The settings that a change of pinned values affects, as text for the audit trail:
/// `Home.title = "y" (was "x"); Home.count no longer pinned (was 3)`.
///
/// The values before a change can be computed from those after it and the text, unless it is cut:
/// the trail only grows, so its entries are short. In a text that would be too long, long values
/// are cut, and of many settings only the first are named.
package enum PinnedValuesText: Sendable {
    /// Of a text that is not cut, in characters.
    private static let maximumLength = 4_000

    /// Of a cut text.
    private static let maximumSettings = 20

    /// Of a value in a cut text, in characters.
    private static let maximumValueLength = 100

    // The ends of texts from which nothing can be computed. Without quotes, so that no value that
    // is cut before them can contain them.
    private static let cutEnd = "long values are cut"
    private static let unknownEnd = "the values before it are not recorded"

    /// The change of a value; nil stands for no value.
    struct Change: Sendable, Hashable {
        let place: PinnedValues.Place
        let old: JSONNode?
        let new: JSONNode?
    }

    /// The differences between two JSON texts; nil for equal ones, and for text that is not JSON.
    ///
    /// - Parameters:
    ///   - before: The text before the change; nil stands for no values.
    ///   - after: The text after the change.
    ///   - isBeforeKnown: False when there were values before the change that are not known.
    /// - Returns: The text.
    package static func differences(
        from before: Data?, to after: Data?, isBeforeKnown: Bool = true
    ) -> String? {
        guard let before = PinnedValues(jsonData: before),
            let after = PinnedValues(jsonData: after)
        else { return nil }
        let changes = Set(before.values.keys).union(after.values.keys)
            .sorted { $0.precedes($1) }
            .map { Change(place: $0, old: before.values[$0], new: after.values[$0]) }
            .filter { $0.old != $0.new }
        if changes.isEmpty, isBeforeKnown { return nil }
        var texts = changes.map { text($0, by: text) }
        if texts.joined(separator: "; ").isLonger(than: maximumLength) {
            let short = changes.prefix(maximumSettings).map { text($0, by: shortText) }
            let others = changes.count - short.count
            if others > 0 { texts = short + ["and \(others) more"] }
            if others == 0, texts != short { texts = short + [cutEnd] }
        }
        if !isBeforeKnown { texts.append(unknownEnd) }
        return texts.joined(separator: "; ")
    }

    private static func text(_ change: Change, by text: (JSONNode) -> String) -> String {
        let names = [change.place.section, change.place.key].compactMap { $0 }
        let place = names.map { name($0.text) }.joined(separator: ".")
        let was = change.old.map { " (was \(text($0)))" } ?? ""
        guard let new = change.new else { return "\(place) no longer pinned\(was)" }
        return "\(place) = \(text(new))\(was)"
    }

    /// The name, as a JSON string if it could be taken for other parts of the text.
    private static func name(_ name: String) -> String {
        let isPlain = !name.isEmpty && name.utf8.allSatisfy(isPlain)
        return isPlain ? name : text(.string(name))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    private static func text(_ value: JSONNode) -> String {
        String(decoding: value.jsonData(), as: UTF8.self)
    }

    private static func shortText(_ value: JSONNode) -> String {
        let text = text(value)
        guard text.isLonger(than: maximumValueLength) else { return text }
        let start = text.unicodeScalars.prefix(maximumValueLength)
        return String(String.UnicodeScalarView(start)) + "…"
    }
}

extension PinnedValuesText {
    /// The changes that a text describes; nil for one that is cut or otherwise incomplete.
    static func changes(in text: String) -> [Change]? {
        var rest = Array(text.utf8)[...]
        var changes: [Change] = []
        repeat {
            guard let change = change(&rest) else { return nil }
            changes.append(change)
        } while skip("; ", &rest)
        return rest.isEmpty ? changes : nil
    }

    private static func change(_ rest: inout ArraySlice<UInt8>) -> Change? {
        guard let section = name(&rest) else { return nil }
        var key: ExactText?
        if skip(".", &rest) {
            key = name(&rest)
            if key == nil { return nil }
        }
        var new: JSONNode?
        if !skip(" no longer pinned", &rest) {
            guard skip(" = ", &rest), let value = value(&rest) else { return nil }
            new = value
        }
        var old: JSONNode?
        if skip(" (was ", &rest) {
            guard let value = value(&rest), skip(")", &rest) else { return nil }
            old = value
        }
        if old == nil, new == nil { return nil }
        return Change(place: .init(section: section, key: key), old: old, new: new)
    }

    private static func skip(_ text: StaticString, _ rest: inout ArraySlice<UInt8>) -> Bool {
        let text = Array("\(text)".utf8)
        guard rest.starts(with: text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private static func name(_ rest: inout ArraySlice<UInt8>) -> ExactText? {
        if rest.first == UInt8(ascii: "\"") {
            return value(&rest)?.stringValue.map { ExactText($0) }
        }
        let name = rest.prefix(while: isPlain)
        rest = rest.dropFirst(name.count)
        return name.isEmpty ? nil : ExactText(String(decoding: name, as: UTF8.self))
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> JSONNode? {
        let value = rest.prefix(length(ofValueIn: rest))
        rest = rest.dropFirst(value.count)
        return try? JSONNode(jsonData: Data(value))
    }

    /// The length of the JSON value with which a text begins.
    private static func length(ofValueIn text: ArraySlice<UInt8>) -> Int {
        let isScalar = !["\"", "{", "["].map { UInt8(ascii: $0) }.contains(text.first)
        var depth = 0
        var isInString = false
        var isEscaped = false
        for (index, byte) in text.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString:
                depth += 1
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString:
                depth -= 1
            case UInt8(ascii: " ") where isScalar, UInt8(ascii: ")") where isScalar,
                UInt8(ascii: ";") where isScalar:
                return index
            default: break
            }
            if !isScalar, !isInString, depth == 0 { return index + 1 }
        }
        return text.count
    }
}
