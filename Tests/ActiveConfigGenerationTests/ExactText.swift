import ActiveConfig
import Foundation

/// A text that distinguishes values that `==` considers equal: signed zeros and canonically
/// equivalent strings.
func exactText(_ value: Any) -> String {
    switch value {
    case let number as Double: "Double \(number.bitPattern)"
    case let number as Float: "Float \(number.bitPattern)"
    case let text as String: "String \(Array(text.utf8))"
    case let value as SettingValue: "SettingValue \(Array(value.jsonData()))"
    case let elements as [Any]: "[\(elements.map(exactText).joined(separator: ", "))]"
    case let members as [String: Any]:
        members.map { "\(Array($0.key.utf8)): \(exactText($0.value))" }.sorted().description
    case let date as Date: "Date \(date.timeIntervalSinceReferenceDate.bitPattern)"
    case let data as Data: "Data \(Array(data))"
    default: "\(type(of: value)) \(value)"
    }
}
