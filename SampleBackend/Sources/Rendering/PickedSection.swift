import ActiveConfig
import Targeting

/// The settings of a section as they are picked for the users of a basis.
struct PickedSection {
    /// The parameters of the section.
    let parameters: [CompiledParameter]

    /// What the values depend on.
    let basis: DocumentBasis

    /// What is pinned in this section.
    let overrides: [String: SettingValue]

    /// The values by key, those of settings that are left out included.
    var values: [String: CompiledValue] {
        var values: [String: CompiledValue] = [:]
        values.reserveCapacity(parameters.count)
        for parameter in parameters {
            let value = parameter.value(for: basis.results)
            values[parameter.key] = value == .omitted ? nil : value
        }
        for (key, value) in overrides { values[key] = .fixed(value) }
        return values
    }

    /// Whether another section has the same values.
    func hasSameValues(as other: PickedSection) -> Bool {
        // As most publishes leave the keys and their order alone, no table is made for them.
        if overrides.isEmpty, other.overrides.isEmpty,
            parameters.count == other.parameters.count,
            zip(parameters, other.parameters).allSatisfy({ $0.key == $1.key })
        {
            return zip(parameters, other.parameters).allSatisfy { mine, theirs in
                mine.value(for: basis.results) == theirs.value(for: other.basis.results)
            }
        }
        return values == other.values
    }
}

extension CompiledParameter {
    /// The value for some results; `omitted` also without any.
    fileprivate func value(for results: ConditionResults) -> CompiledValue {
        winner(for: results)?.value ?? defaultValue ?? .omitted
    }
}
