package import Foundation
package import JSONTree

/// The pinned values of a user, in the form in which the audit trail compares them.
///
/// Unlike ``OverridesDocument``, it can be computed back from the texts of the audit trail.
package struct PinnedValues: Sendable, Hashable {
    /// A pinned setting, or, without a key, a section that is pinned without settings.
    struct Place: Sendable, Hashable {
        let section: ExactText
        let key: ExactText?

        func precedes(_ other: Place) -> Bool {
            if section.precedes(other.section) { return true }
            if other.section.precedes(section) { return false }
            guard let key, let otherKey = other.key else { return key == nil && other.key != nil }
            return key.precedes(otherKey)
        }
    }

    /// The values; an empty object for a section without settings.
    var values: [Place: JSONNode]

    /// Creates no pinned values.
    package init() { values = [:] }

    /// Reads JSON text; nil for text that is not JSON.
    ///
    /// A missing text stands for no values.
    package init?(jsonData: Data?) {
        values = [:]
        guard let jsonData else { return }
        guard let node = try? JSONNode(jsonData: jsonData) else { return nil }
        for (section, settings) in node.objectValue ?? [:] {
            let settings = settings.objectValue ?? [:]
            let section = ExactText(section)
            if settings.isEmpty { values[Place(section: section, key: nil)] = .emptyObject }
            for (key, value) in settings {
                values[Place(section: section, key: ExactText(key))] = value
            }
        }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The values by section and key, sorted.
    package var json: JSONNode {
        var json = JSONNode.emptyObject
        for (place, value) in values.sorted(by: { $0.key.precedes($1.key) }) {
            var section = json[place.section.text] ?? .emptyObject
            if let key = place.key { section.setMember(key.text, value) }
            json.setMember(place.section.text, section)
        }
        return json
    }

    /// Why an entry of the audit trail does not lead to the values before it.
    package enum RevertError: Error, Sendable, Hashable {
        /// The text was cut, or does not have all values.
        case incomplete
        /// The values after the change are others: later changes are missing.
        case contradiction
    }

    /// Returns the values before a change of which these are the result.
    ///
    /// - Parameter text: What ``PinnedValuesText`` wrote for the change; nil for no differences.
    /// - Returns: The values, exact except for the order of members within objects.
    /// - Throws: ``RevertError``.
    package func reverting(_ text: String?) throws(RevertError) -> PinnedValues {
        guard let text else { return self }
        guard let changes = PinnedValuesText.changes(in: text) else { throw .incomplete }
        var earlier = self
        for change in changes {
            guard values[change.place] == change.new else { throw .contradiction }
            earlier.values[change.place] = change.old
        }
        return earlier
    }
}
