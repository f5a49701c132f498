import HTTPServing
import JSONTree
import Rendering

extension SettingReason {
    /// The setting as an evaluation, `{"key": …, "value": …, "reason": …, "variant": …}`.
    ///
    /// `value` is missing when the setting is omitted, so the default in the client's code applies.
    /// Throws a ``RequestError`` when the protocol has no type for the value.
    func evaluation(ofFlag flagKey: String) throws(RequestError) -> JSONNode {
        var node: JSONNode = ["key": .string(flagKey)]
        switch value {
        case .null: throw .unsupportedValue("null")
        case .array: throw .unsupportedValue("an array")
        case let value: node.setMember("value", value)
        }
        node.setMember("reason", .string(evaluationReason))
        node.setMember("variant", .string(variant))
        return node
    }

    /// The `reason` in OpenFeature's terms.
    private var evaluationReason: String {
        switch source {
        case _ where value == nil: "DEFAULT"
        case .override: "TARGETING_MATCH"
        case .condition: usesPercent ? "SPLIT" : "TARGETING_MATCH"
        case .defaultValue: falseConditions.isEmpty ? "STATIC" : "DEFAULT"
        }
    }

    /// The `variant`: the source of the value.
    private var variant: String {
        switch source {
        case .override: "override"
        case .condition(let name): name
        case .defaultValue: "default"
        }
    }
}
