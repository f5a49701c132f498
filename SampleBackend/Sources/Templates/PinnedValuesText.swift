package import Foundation
import JSONTree

/// The settings that a change of pinned values affects, as text for the audit trail:
/// `Home.title = "y" (was "x"); Home.count no longer pinned (was 3)`.
///
/// The trail only grows, so its entries are short: long values are cut, and of many settings only
/// the first are named.
package enum PinnedValuesText: Sendable {
    private static let maximumSettings = 20

    /// In characters.
    private static let maximumValueLength = 100

    /// The differences between two JSON texts; nil for equal ones, and for text that is not JSON.
    ///
    /// A missing text stands for no values.
    package static func differences(from before: Data?, to after: Data?) -> String? {
        guard let before = values(before), let after = values(after) else { return nil }
        var texts: [String] = []
        for section in Set(before.keys).union(after.keys).sortedByBytes() {
            let (old, new) = (before[section] ?? [:], after[section] ?? [:])
            for key in Set(old.keys).union(new.keys).sortedByBytes() {
                let change = difference(from: old[key], to: new[key])
                if let change { texts.append("\(section).\(key) \(change)") }
            }
        }
        let others = texts.count - maximumSettings
        if others > 0 { texts = texts.prefix(maximumSettings) + ["and \(others) more"] }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    private static func difference(from old: JSONNode?, to new: JSONNode?) -> String? {
        switch (old, new) {
        case (let old?, nil): "no longer pinned (was \(text(old)))"
        case (nil, let new?): "= \(text(new))"
        case (let old?, let new?) where old != new: "= \(text(new)) (was \(text(old)))"
        default: nil
        }
    }

    /// The values by section and key; nil for text that is not JSON.
    private static func values(_ content: Data?) -> NamedValues<NamedValues<JSONNode>>? {
        guard let content else { return [:] }
        guard let node = try? JSONNode(jsonData: content) else { return nil }
        var values: NamedValues<NamedValues<JSONNode>> = [:]
        guard let sections = node.objectValue else { return values }
        for (section, settings) in sections {
            guard let settings = settings.objectValue else { continue }
            for (key, value) in settings { values[section, default: [:]][key] = value }
        }
        return values
    }

    private static func text(_ value: JSONNode) -> String {
        let text = String(decoding: value.jsonData(), as: UTF8.self)
        guard text.isLonger(than: maximumValueLength) else { return text }
        let start = text.unicodeScalars.prefix(maximumValueLength)
        return String(String.UnicodeScalarView(start)) + "…"
    }
}
