public import OrderedCollections

extension RemoteConfigTemplate {
    /// The parameters by section and key: first those outside of groups, if there are any, then the
    /// groups in their order.
    public var sections: OrderedDictionary<String, OrderedDictionary<String, TemplateParameter>> {
        var sections: OrderedDictionary<String, OrderedDictionary<String, TemplateParameter>> = [:]
        if !parameters.isEmpty { sections[Self.defaultSectionName] = parameters }
        for (name, group) in parameterGroups {
            sections[name, default: [:]].merge(
                group.parameters, uniquingKeysWith: { first, _ in first })
        }
        return sections
    }
}
