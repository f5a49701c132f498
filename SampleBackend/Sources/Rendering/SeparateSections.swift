import ActiveConfigJSON
package import Targeting

/// The sections of a template one by one, so that users whose documents differ in some sections share
/// the others.
package struct SeparateSections: Sendable {
    /// A section, and what its settings depend on.
    package struct Section: Sendable {
        /// The section's name.
        package let name: String
        /// The conditions that select its values.
        package let conditions: ConditionResults
        /// True when a value can contain the user's ID.
        package let showsUserID: Bool
    }

    private let compiled: CompiledTemplate

    /// The sections, sorted by the UTF-8 of their names.
    package let sections: [Section]

    /// The conditions that use `percent`, by name, as `meta.experiments` has them.
    package let experiments: [(key: String, condition: Int)]

    /// Nil for a template with names of sections that are equal as Swift strings, of which clients
    /// receive only one.
    package init?(_ compiled: CompiledTemplate) {
        if compiled.hasEquivalentSections { return nil }
        self.compiled = compiled
        experiments = compiled.meta.experiments
        sections = compiled.sections.map { name, parameters in
            var conditions = ConditionResults(count: compiled.conditions.conditions.count)
            for candidate in parameters.lazy.flatMap(\.candidates) {
                conditions[candidate.condition] = true
            }
            return Section(
                name: name, conditions: conditions,
                showsUserID: parameters.contains { $0.maximumUserIDCount > 0 })
        }
    }

    /// A document with only one section, for a user without pinned values: UTF-8 JSON.
    package func document(
        ofSectionAt index: Int, for results: ConditionResults, userID: String?
    ) -> [UInt8] {
        let (name, parameters) = compiled.sections[index]
        let picked = PickedSection(
            parameters: parameters, basis: DocumentBasis(results: results, overrides: nil),
            overrides: [:])
        var text = DocumentText(forUserID: userID)
        text.json.write(raw: #"{"config_sections":"#)
        text.writeObject(CollectionOfOne((key: name, value: picked))) { text, picked in
            text.write(picked.settings)
        }
        text.json.write(raw: #","meta":{}}"#)
        return text.json.bytes
    }
}
