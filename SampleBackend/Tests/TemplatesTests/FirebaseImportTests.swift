import Foundation
import JSONTree
import Templates
import Testing

struct FirebaseImportTests {
    private func imported(_ json: String) throws -> FirebaseImport {
        try FirebaseImport(jsonData: Data(json.utf8))
    }

    @Test func anImportKeepsEverythingButTheVersion() throws {
        var json = try Fixture.clientTemplate.json
        json.setMember("version", ["versionNumber": "42", "description": "Spring"])
        let firebase = try FirebaseImport(jsonData: json.jsonData())
        #expect(firebase.template.json() == (try Fixture.clientTemplate.json))
        #expect(firebase.report.first?.path == "version")
        #expect(firebase.report.first?.message.contains("version 42") == true)
    }

    @Test func anImportReportsWhatIsNotEvaluatedAndWhatToDo() throws {
        let report = try FirebaseImport(jsonData: Fixture.clientTemplate.data).report
        let home = "parameterGroups.Home.parameters.shows_offers.conditionalValues"
        #expect(
            report.map(\.path) == [
                "conditions[0]", "conditions[4]", "etagHint", "labels",
                "conditions[5].expression", "conditions[5].expression",
                "conditions[5].createdBy",
                "parameterGroups.Home.parameters.theme.defaultValue.reviewed",
                "parameterGroups.Home.parameters.theme.contact",
                #"parameterGroups["Pay & ship"].icon"#, "parameters",
                "parameters.welcome_message", "parameters.legacy_flag",
                #"\#(home)["power users"]"#, "\(home).DACH", #"\#(home)["half of the rest"]"#,
            ])
        let rollout = try #require(report.first { $0.path.hasSuffix(#"["power users"]"#) })
        #expect(rollout.message.contains("percent <= 12.5"))
        #expect(rollout.description.hasPrefix("In \(home)"))
        let legacy = try #require(report.first { $0.path == "parameters.legacy_flag" })
        #expect(legacy.message.contains("BOOLEAN"))
    }

    @Test(arguments: [
        ("rolloutValue", #"{"value": "x", "percent": 5}"#, "percent <= 5.0"),
        ("personalizationValue", #"{"personalizationId": "p"}"#, "set a default value yourself"),
        ("experimentValue", #"{"experimentId": "e", "variantValue": []}"#, "for each variant"),
    ])
    func anImportKeepsADefaultValueThatOnlyFirebaseEvaluates(
        name: String, value: String, advice: String
    ) throws {
        let parameters = #"{"a": {"valueType": "STRING", "defaultValue": {"\#(name)": \#(value)}}}"#
        let firebase = try imported(
            #"{"parameterGroups": {"Home": {"parameters": \#(parameters)}}}"#)
        #expect(
            firebase.template.parameterGroups["Home"]?.parameters["a"]?.defaultValue?.content
                == .unevaluated(name, try JSONNode(jsonData: Data(value.utf8))))
        let remark = try #require(firebase.report.first)
        #expect(firebase.report.count == 1)
        #expect(remark.path == "parameterGroups.Home.parameters.a.defaultValue")
        #expect(remark.message.contains("without a default value"))
        #expect(remark.message.contains(advice), "\(remark.message)")
    }

    @Test func anImportHasNothingToSayOfATemplateThatBehavesTheSame() throws {
        let firebase = try imported(
            #"""
            {"conditions": [{"name": "ios", "expression": "device.os == 'ios'"}],
             "parameterGroups": {"Home": {"parameters": {"title": {"valueType": "STRING",
               "defaultValue": {"value": "true"}, "conditionalValues": {"ios": {"value": "x"}}}}}}}
            """#)
        #expect(firebase.report.isEmpty)
    }

    @Test func anImportSuggestsATypeOnlyWhenAllValuesHaveIt() throws {
        let firebase = try imported(
            #"""
            {"conditions": [{"name": "ios", "expression": "device.os == 'ios'"}],
             "parameterGroups": {"A": {"parameters": {
               "number": {"defaultValue": {"value": "1"}, "conditionalValues": {"ios": {"value": "2"}}},
               "mixed": {"defaultValue": {"value": "1"}, "conditionalValues": {"ios": {"value": "x"}}},
               "none": {"defaultValue": {"useInAppDefault": true}}}}}}
            """#)
        #expect(firebase.report.map(\.path) == ["parameterGroups.A.parameters.number"])
    }

    @Test(arguments: [
        ("", true), (#""valueType": "STRING", "#, true), (#""valueType": "JSON", "#, false),
    ])
    func aPlaceholderOfTheUserIsNamedInATextOnly(type: String, isNamed: Bool) throws {
        let value = type.contains("JSON") ? #"\"${user.id}\""# : "for ${user.id}"
        let firebase = try imported(
            #"{"parameters": {"a": {\#(type)"defaultValue": {"value": "\#(value)"}}}}"#)
        let remarks = firebase.report.filter { $0.path == "parameters.a" }
        #expect(remarks.count == (isNamed ? 1 : 0))
        #expect(remarks.allSatisfy { $0.message.contains("${user.id}") })
    }

    @Test func anImportRefusesWhatIsNoTemplate() {
        #expect(throws: TemplateValidationError.self) { try imported("[]") }
        #expect(throws: TemplateValidationError.self) { try imported("not JSON") }
        #expect(throws: TemplateValidationError.self) {
            try imported(#"{"parameters": {"a": {"defaultValue": {"value": 1}}}}"#)
        }
    }
    @Test func theReportIsBounded() throws {
        let conditions = (0..<30).map { #"{"name": "c\#($0)", "expression": "true"}"# }
        let values = (0..<30).map { #""c\#($0)": {"personalizationValue": {}}"# }
            .joined(separator: ",")
        let parameters = (0..<50).map {
            #""p\#($0)": {"valueType": "STRING", "conditionalValues": {\#(values)}}"#
        }
        let report = try imported(
            """
            {"conditions": [\(conditions.joined(separator: ","))],
             "parameterGroups": {"A": {"parameters": {\(parameters.joined(separator: ","))}}}}
            """
        ).report
        #expect(report.count == 1_001)
        #expect(report.first?.path == "parameterGroups.A.parameters.p0.conditionalValues.c0")
        #expect(
            report.last?.description
                == "In the file: there are 500 more remarks, which are not listed.")
    }
}
