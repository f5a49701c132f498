import JSONTree
import SeededRandomness
import Templates

/// Generates valid templates, always the same for one seed.
struct TemplateGenerator: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    /// Template with up to six conditions, and up to six keys in each of three sections.
    mutating func template() -> RemoteConfigTemplate {
        var template = RemoteConfigTemplate()
        for index in (0..<6).shuffled(using: &self) where Bool.random(using: &self) {
            template.conditions.append(condition(index))
        }
        template.parameters = parameters(under: template.conditions)
        for name in ["A", "B"].shuffled(using: &self) where Bool.random(using: &self) {
            template.parameterGroups[name] = ParameterGroup(
                description: Bool.random(using: &self) ? text() : nil,
                parameters: parameters(under: template.conditions))
        }
        return template
    }

    /// Copies a template with some parts changed, added and removed.
    mutating func variant(of template: RemoteConfigTemplate) -> RemoteConfigTemplate {
        var variant = template
        if one(of: 3) { variant.conditions.shuffle(using: &self) }
        variant.conditions.removeAll { _ in one(of: 5) }
        for index in 0..<6
        where one(of: 5) && !variant.conditions.contains(where: { $0.name == "c\(index)" }) {
            let place = Int.random(in: 0...variant.conditions.count, using: &self)
            variant.conditions.insert(condition(index), at: place)
        }
        for index in variant.conditions.indices where one(of: 6) {
            variant.conditions[index].expression = expression()
        }
        let conditions = variant.conditions
        variant.parameters = change(variant.parameters, under: conditions)
        for name in ["A", "B"] {
            guard let group = variant.parameterGroups[name] else {
                if one(of: 5) {
                    variant.parameterGroups[name] = ParameterGroup(
                        parameters: parameters(under: conditions))
                }
                continue
            }
            variant.parameterGroups[name] =
                one(of: 6)
                ? nil
                : ParameterGroup(
                    description: one(of: 5) ? text() : group.description,
                    parameters: change(group.parameters, under: conditions))
        }
        return variant
    }

    /// True with a probability of 1 / `count`.
    private mutating func one(of count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// Parameters that use some of the conditions.
    private mutating func parameters(
        under conditions: [TemplateCondition]
    ) -> NamedValues<TemplateParameter> {
        var parameters: NamedValues<TemplateParameter> = [:]
        for index in (0..<6).shuffled(using: &self) where Bool.random(using: &self) {
            parameters["k\(index)"] = parameter(under: conditions)
        }
        return parameters
    }

    /// Copies parameters with some of them changed; none then uses a condition that does not exist.
    private mutating func change(
        _ parameters: NamedValues<TemplateParameter>,
        under conditions: [TemplateCondition]
    ) -> NamedValues<TemplateParameter> {
        let names = Set(conditions.map(\.name))
        var changed = parameters
        changed.removeAll { _ in one(of: 8) }
        for key in changed.keys {
            if one(of: 5) { changed[key] = parameter(under: conditions) }
            changed[key]?.conditionalValues.removeAll { !names.contains($0.key) }
        }
        for index in 0..<6 where one(of: 8) && changed["k\(index)"] == nil {
            changed["k\(index)"] = parameter(under: conditions)
        }
        return changed
    }

    /// Parameter that uses some of the conditions.
    private mutating func parameter(under conditions: [TemplateCondition]) -> TemplateParameter {
        var parameter = TemplateParameter(defaultValue: .value(text()))
        for condition in conditions where one(of: 3) {
            parameter.conditionalValues[condition.name] = .value(text())
        }
        if one(of: 4) { parameter.owner = text() }
        if one(of: 4) { parameter.tags = [text()] }
        if one(of: 6) { parameter.permanentReason = text() }
        parameter.isArchived = one(of: 6)
        return parameter
    }

    private mutating func condition(_ index: Int) -> TemplateCondition {
        TemplateCondition(name: "c\(index)", expression: expression())
    }

    private mutating func expression() -> String {
        "percent <= \(Int.random(in: 1...4, using: &self))"
    }

    private mutating func text() -> String {
        "v\(Int.random(in: 0..<4, using: &self))"
    }
}
