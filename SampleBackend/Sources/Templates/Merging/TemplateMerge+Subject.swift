extension TemplateMerge {
    /// A thing that is merged as a whole.
    public enum Subject: Sendable, Hashable {
        /// A condition.
        case condition(name: String)
        /// The order of the conditions.
        case conditionOrder
        /// A parameter; nil is the section of those that belong to no group.
        case parameter(group: String?, key: String)
        /// A group, without its parameters.
        case group(name: String)
        /// A member of the template that this backend does not know.
        case field(name: String)

        /// The place in the template.
        var path: TemplatePath {
            let root = TemplatePath.root
            return switch self {
            case .condition(let name): root.member("conditions").member(name)
            case .conditionOrder: root.member("conditions")
            case .parameter(let group?, let key):
                root.member("parameterGroups").member(group).member("parameters").member(key)
            case .parameter(nil, let key): root.member("parameters").member(key)
            case .group(let name): root.member("parameterGroups").member(name)
            case .field(let name): root.member(name)
            }
        }
    }
}
