import JSONTree

/// A setting of a document; its value is never `omitted`.
typealias PickedSetting = (key: String, value: CompiledValue)

/// The values of a section's settings for the users of a basis.
struct PickedSection {
    /// Sorted by the UTF-8 of their keys.
    let parameters: [CompiledParameter]

    let basis: DocumentBasis

    let overrides: [ExactText: JSONNode]

    /// The settings of a document, sorted by the UTF-8 of their keys.
    var settings: [PickedSetting] {
        var settings: [PickedSetting] = []
        settings.reserveCapacity(parameters.count)
        for parameter in parameters {
            let value = parameter.value(for: basis.results)
            if case .omitted = value { continue }
            settings.append((parameter.key, value))
        }
        guard !overrides.isEmpty else { return settings }
        var values = NamedValues(settings, uniquingKeysWith: { first, _ in first })
        for (key, value) in overrides { values[key] = CompiledValue(value) }
        return values.sorted { $0.key.precedes($1.key) }
    }

    /// True when another section has the same values.
    func hasSameValues(as other: PickedSection) -> Bool {
        // Fast path: most publishes leave the keys unchanged, so the settings need not be
        // collected.
        if overrides.isEmpty, other.overrides.isEmpty,
            parameters.count == other.parameters.count,
            zip(parameters, other.parameters).allSatisfy({ $0.key.hasSameBytes(as: $1.key) })
        {
            return zip(parameters, other.parameters).allSatisfy { mine, theirs in
                mine.value(for: basis.results) == theirs.value(for: other.basis.results)
            }
        }
        return settings.elementsEqual(other.settings) {
            $0.key.hasSameBytes(as: $1.key) && $0.value == $1.value
        }
    }
}
