public import ActiveConfig

extension JSONNode {
    /// The value as the framework represents it: numbers become 64-bit integers or floating-point
    /// numbers, and the order of members is lost (FORMAT 4).
    public var settingValue: SettingValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let text): Int(text).map { .integer($0) } ?? .double(Double(text) ?? 0)
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.settingValue))
        case .object(let members):
            .object(
                Dictionary(
                    members.map { ($0.key, $0.value.settingValue) },
                    uniquingKeysWith: { _, last in last }))
        }
    }
}
