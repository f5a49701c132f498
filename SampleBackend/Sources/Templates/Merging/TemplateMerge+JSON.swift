public import JSONTree

extension TemplateMerge.Conflict {
    /// The conflict as the route `remoteConfig:merge` answers (HTTP 3).
    ///
    /// ```json
    /// {"path": "parameterGroups.Home.parameters.title", "kind": "PARAMETER", "section": "Home",
    ///  "key": "title", "base": {…}, "mine": {…}, "theirs": {…}}
    /// ```
    ///
    /// `kind` is `PARAMETER` with `section` and `key`, `CONDITION`, `GROUP` or `FIELD` with `name`,
    /// or `CONDITION_ORDER`, whose sides are lists of names. A side on which the thing is not there
    /// is left out.
    public var json: JSONNode {
        var node: JSONNode = ["path": .string(path)]
        switch subject {
        case .condition(let name):
            node.setMember("kind", "CONDITION")
            node.setMember("name", .string(name))
        case .conditionOrder:
            node.setMember("kind", "CONDITION_ORDER")
        case .parameter(let group, let key):
            node.setMember("kind", "PARAMETER")
            node.setMember("section", .string(group ?? RemoteConfigTemplate.defaultSectionName))
            node.setMember("key", .string(key))
        case .group(let name):
            node.setMember("kind", "GROUP")
            node.setMember("name", .string(name))
        case .field(let name):
            node.setMember("kind", "FIELD")
            node.setMember("name", .string(name))
        }
        node.setMember("base", base)
        node.setMember("mine", mine)
        node.setMember("theirs", theirs)
        return node
    }
}
