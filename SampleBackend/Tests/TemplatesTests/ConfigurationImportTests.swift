import Foundation
import JSONTree
import OrderedCollections
import Templates
import Testing

struct ConfigurationImportTests {
    private func imported(_ json: String) throws -> ConfigurationImport {
        try ConfigurationImport(json: JSONNode(jsonData: Data(json.utf8)))
    }

    @Test func anImportMakesAParameterOfEachSetting() throws {
        let result = try imported(
            #"""
            {"meta": {"template_version": 3}, "config_sections": {
             "Home": {"settings": {"title": {"value": "Hi"}, "on": {"value": true},
               "size": {"value": 12345678901234567890}, "list": {"value": [1, "a"]}}},
             "Default": {"settings": {"wide": {"value": 1.50}}}, "Empty": {"settings": {}}}}
            """#)
        let home = try #require(result.template.parameterGroups["Home"]).parameters
        #expect(Array(home.keys) == ["title", "on", "size", "list"])
        #expect(home["title"] == TemplateParameter(defaultValue: .value("Hi"), valueType: .string))
        #expect(home["on"] == TemplateParameter(defaultValue: .value("true"), valueType: .boolean))
        #expect(home["size"]?.defaultValue == .value("12345678901234567890"))
        #expect(
            home["list"]
                == TemplateParameter(defaultValue: .value(#"[1,"a"]"#), valueType: .json))
        #expect(result.template.parameters["wide"]?.defaultValue == .value("1.50"))
        #expect(result.template.parameterGroups["Empty"]?.parameters.isEmpty == true)
        #expect(result.report.isEmpty)
    }

    @Test func anImportNamesWhatItRenamesAndLeavesOut() throws {
        let result = try imported(
            #"""
            {"meta": {}, "note": 1, "config_sections": {"Empty": {"note": 1},
             "A": {"settings": {"my key": {"value": 1}, "b": 2, "c": {}, "d": {"value": 1, "x": 1}}}}}
            """#)
        let parameters = try #require(result.template.parameterGroups["A"]).parameters
        #expect(Array(parameters.keys) == ["my_key", "d"])
        let places = result.report.map(\.path)
        #expect(
            places == [
                "config_sections.Empty.note", "config_sections.Empty",
                "config_sections.A.settings.b", "config_sections.A.settings.c",
                "config_sections.A.settings.d.x", "note", #"config_sections.A.settings["my key"]"#,
            ])
        #expect(result.report[2].message.hasPrefix("it is a number"))
    }

    @Test(arguments: [
        (#"{"config_sections": {"A": "x"}}"#, "config_sections.A"),
        (#"{"config_sections": {"A": {"settings": []}}}"#, "config_sections.A.settings"),
    ])
    func anImportRefusesSectionsOfAnotherKind(json: String, path: String) {
        let error = #expect(throws: TemplateValidationError.self) { try imported(json) }
        #expect(error?.problems.map(\.path) == [path])
    }

    @Test(arguments: ["{}", #"{"config_sections": []}"#, #"{"parameters": {}}"#, "[]"])
    func anImportRefusesWhatIsNoConfigurationDocument(json: String) {
        #expect(throws: TemplateValidationError.self) { try imported(json) }
    }
}
