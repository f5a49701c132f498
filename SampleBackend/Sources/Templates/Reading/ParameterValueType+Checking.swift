import ActiveConfig
import Foundation
import JSONTree

extension ParameterValueType {
    /// What is wrong with a text of this type, and what to do; nil when nothing is.
    func problem(of text: String) -> String? {
        switch self {
        case .string: nil
        case .boolean:
            switch text.lowercased() {
            case "true", "false": nil
            default: "\"\(text.shortened)\" is no BOOLEAN; make it true or false"
            }
        case .number:
            Self.isNumber(text)
                ? nil : "\"\(text.shortened)\" is no NUMBER; write it as 3, -0.5 or 1e6"
        case .json: Self.jsonProblem(of: text)
        }
    }

    /// What is wrong with a text as JSON.
    private static func jsonProblem(of text: String) -> String? {
        do throws(ConfigurationFormatError) {
            _ = try SettingValue(
                jsonData: Data(text.utf8),
                limits: ConfigurationLimits(maximumDepth: TemplateLimits.maximumValueDepth))
            return endsListWithComma(text)
                ? "it is no JSON, a comma stands before a closing bracket; remove the comma" : nil
        } catch {
            return "it is no JSON, \(error.reason) (line \(error.line ?? 1), column "
                + "\(error.column ?? 1) of the value)"
        }
    }

    /// Whether sound JSON has a comma before a closing bracket, which the reader lets pass and the
    /// readers of other languages do not.
    private static func endsListWithComma(_ text: String) -> Bool {
        var isInString = false
        var isEscaped = false
        var last: UInt8 = 0
        for byte in text.utf8 {
            if isInString {
                if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                continue
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if last == UInt8(ascii: ",") { return true }
            case UInt8(ascii: "\""): isInString = true
            default: break
            }
            last = byte
        }
        return false
    }

    /// Whether a text is a number in digits, also `.5`, with or without an exponent, within the
    /// range of a 64-bit floating-point number.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = takeDigits(&rest)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits(&rest) > 0 else { return false }
        } else if whole == 0 {
            return false
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard takeDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty && (Double(text)?.isFinite ?? false)
    }

    /// Goes past digits, and says how many there were.
    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Int {
        var count = 0
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            rest.removeFirst()
            count += 1
        }
        return count
    }
}
