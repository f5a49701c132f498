import ActiveConfig
import JSONTree
import Testing

struct JSONNodeSettingValueTests {
    @Test func aNodeBecomesASetting() {
        let node: JSONNode = [
            "array": [1, .number("1.5"), "x", true, .null], "object": ["a": -7],
        ]
        let value: SettingValue = ["array": [1, 1.5, "x", true, nil], "object": ["a": -7]]
        #expect(node.settingValue == value)
    }

    @Test(arguments: [
        ("1", SettingValue.integer(1)), ("-0", .integer(0)), ("1.0", .double(1)),
        ("1e2", .double(100)),
        ("9223372036854775807", .integer(.max)), ("9223372036854775808", .double(0x1p63)),
    ])
    func aNodeTellsIntegersFromFloatingPointNumbers(text: String, value: SettingValue) {
        #expect(JSONNode.number(text).settingValue == value)
    }
}
