import Foundation
import JSONTree
import Templates
import Testing

struct ParameterValueTypeTests {
    /// True if a text is a valid value of a type.
    private func accepts(_ text: String, _ type: ParameterValueType) -> Bool {
        let template = RemoteConfigTemplate(
            parameters: ["a": TemplateParameter(defaultValue: .value(text), valueType: type)])
        do throws(TemplateValidationError) {
            _ = try ValidatedTemplate(json: template.json())
            return true
        } catch {
            #expect(error.problems.map(\.path) == ["parameters.a.defaultValue"])
            return false
        }
    }

    @Test(arguments: ["true", "false", "TRUE", "False", "tRuE"])
    func aTypeAcceptsABoolean(text: String) {
        #expect(accepts(text, .boolean))
    }

    @Test(arguments: ["", "1", "yes", " true", "true ", "null", "truе"])
    func aTypeRefusesWhatIsNoBoolean(text: String) {
        #expect(!accepts(text, .boolean))
    }

    @Test(arguments: [
        "0", "-0", "007", ".5", "-.5", "3.25", "1e6", "1E-6", "-2.5e+3",
        "123456789012345678901234567890",
    ])
    func aTypeAcceptsANumber(text: String) {
        #expect(accepts(text, .number))
    }

    @Test(arguments: [
        "", "-", ".", "5.", "+1", "1,5", "0x10", "NaN", "Infinity", "1e", "1e+", "1e999", " 1",
        "1 ",
        "1.2.3", "١", "true",
    ])
    func aTypeRefusesWhatIsNoNumber(text: String) {
        #expect(!accepts(text, .number))
    }

    @Test(arguments: [
        "{}", "[]", "null", "1.50", "\"x\"", " [1, 2] ", #"{"a": ",]", "b": "\",}"}"#,
        #"["\\", ","]"#,
    ])
    func aTypeAcceptsJSON(text: String) {
        #expect(accepts(text, .json))
    }

    @Test(arguments: ["", "{", "{'a': 1}", "[1,]", #"{"a": 1 , }"#, "[1] x", "undefined", "01"])
    func aTypeRefusesWhatIsNoJSON(text: String) {
        #expect(!accepts(text, .json))
    }

    @Test(arguments: ["", "true", "{", "\u{0}", "${user.id}"])
    func aTypeAcceptsAnyTextAsString(text: String) {
        #expect(accepts(text, .string))
    }
}
