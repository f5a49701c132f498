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
             "Default": {"settings": {"wide": {"value": 1.50}}}, "Empty": {}}}
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
            #"{"config_sections": {"A": {"settings": {"my key": {"value": 1}, "b": 2, "c": {}}}}}"#)
        #expect(result.template.parameterGroups["A"]?.parameters.count == 1)
        #expect(result.template.parameterGroups["A"]?.parameters["my_key"] != nil)
        #expect(
            result.report.map(\.path) == [
                "config_sections.A.settings.b", "config_sections.A.settings.c",
                #"config_sections.A.settings["my key"]"#,
            ])
    }

    @Test(arguments: ["{}", #"{"config_sections": []}"#, #"{"parameters": {}}"#, "[]"])
    func anImportRefusesWhatIsNoConfigurationDocument(json: String) {
        #expect(throws: TemplateValidationError.self) { try imported(json) }
    }
}
