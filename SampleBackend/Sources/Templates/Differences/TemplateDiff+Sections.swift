import OrderedCollections

extension TemplateDiff {
    /// The sections that may be another for some user under the new template than under the old one.
    ///
    /// A section that came or went is among them; so is one with a parameter that has a value for a
    /// condition that differs, or for conditions whose order does. What is for people only,
    /// descriptions and colours, does not count.
    ///
    /// - Parameters:
    ///   - old: The template before.
    ///   - new: The template after.
    /// - Returns: The names, sorted.
    public static func changedSections(
        from old: RemoteConfigTemplate, to new: RemoteConfigTemplate
    ) -> [String] {
        let diff = TemplateDiff(from: old, to: new)
        var names = Set(diff.groups.filter { $0.change != .changed }.map(\.name))
        for parameter in diff.parameters
        where parameter.change != .changed
            || parameter.parts.contains(where: { $0.name != "description" })
        {
            names.insert(parameter.section)
        }
        let isReordered = diff.conditions.contains { $0.parts.contains { $0.name == "position" } }
        let conditions = Set(
            diff.conditions.filter { condition in
                condition.change != .changed
                    || condition.parts.contains { !["tagColor", "position"].contains($0.name) }
            }.map(\.name))
        for (name, parameters) in [old.sections, new.sections].joined()
        where parameters.values.contains(where: { parameter in
            parameter.conditionalValues.keys.contains(where: conditions.contains)
                || isReordered && old.order(of: parameter) != new.order(of: parameter)
        }) {
            names.insert(name)
        }
        return names.sorted()
    }
}

extension RemoteConfigTemplate {
    /// The conditions for which a parameter has a value, the most important first.
    fileprivate func order(of parameter: TemplateParameter) -> [String] {
        conditions.map(\.name).filter { parameter.conditionalValues[$0] != nil }
    }
}
