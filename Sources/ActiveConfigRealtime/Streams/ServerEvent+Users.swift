import ActiveConfig
import ActiveConfigEventStream
import Foundation

/// Events of a stream of many users (*Client protocol*, section 2).
extension ServerEvent {
    private static let prefix = Array("{\"user_id\":".utf8)

    /// The user of the event; nil when there is none (the generic user is one).
    var userID: UserID? {
        // Usually the first member; the rest is parsed by the user's reader.
        if data.starts(with: Self.prefix), let text = leadingValue(from: Self.prefix.count) {
            return Self.userID(try? SettingValue(jsonData: Data(text)))
        }
        return Self.userID((try? SettingValue(jsonData: Data(data)))?.dictionaryValue?["user_id"])
    }

    private static func userID(_ value: SettingValue?) -> UserID? {
        switch value {
        case .string(let text)?: UserID(text)
        case .null?: .generic
        default: nil
        }
    }

    /// The string or word at a position of the data; nil when there is something else.
    private func leadingValue(from start: Int) -> ArraySlice<UInt8>? {
        guard start < data.count, data[start] == UInt8(ascii: "\"") else {
            let null = Array("null".utf8)
            return data[start...].starts(with: null) ? data[start..<(start + null.count)] : nil
        }
        var index = start + 1
        while index < data.count {
            switch data[index] {
            case UInt8(ascii: "\""): return data[start...index]
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }
}
