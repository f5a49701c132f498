import Foundation
import JSONTree
import OrderedCollections
import Testing

@testable import Templates

struct ParseConfigImportTests {
    private func imported(_ json: String, sectionName: String = "Config") throws
        -> ParseConfigImport
    {
        try ParseConfigImport(jsonData: Data(json.utf8), sectionName: sectionName)
    }

    @Test func anImportMakesATypeOfEachValue() throws {
        let parse = try ParseConfigImport(
            jsonData: Fixture.parseConfig.data, sectionName: "Config")
        #expect(Array(parse.template.parameterGroups.keys) == ["Config"])
        #expect(parse.template.parameters.isEmpty)
        let parameters = try #require(parse.template.parameterGroups["Config"]).parameters
        #expect(
            parameters["welcomeMessage"]
                == TemplateParameter(defaultValue: .value("Welcome to ${app}"), valueType: .string))
        #expect(
            parameters["isSaleOn"]
                == TemplateParameter(defaultValue: .value("true"), valueType: .boolean))
        #expect(
            parameters["taxRate"]
                == TemplateParameter(defaultValue: .value("0.0750"), valueType: .number))
        #expect(
            parameters["hosts"]
                == TemplateParameter(
                    defaultValue: .value(#"["a.example.com","b.example.com"]"#), valueType: .json))
        #expect(
            parameters["nothing"]
                == TemplateParameter(defaultValue: .value("null"), valueType: .json))
        #expect(parameters.count == 13)
    }

    @Test func anImportKeepsMasterKeyOnlyParametersFromClients() throws {
        let parse = try ParseConfigImport(jsonData: Fixture.parseConfig.data)
        #expect(parse.template.parameterGroups.isEmpty)
        let secret = parse.template.parameters.filter { $0.value.isMasterKeyOnly }
        #expect(Array(secret.keys) == ["internalKey"])
        let file = DefaultsFile(parse.template, format: .json)
        #expect(!String(decoding: file.data, as: UTF8.self).contains("internalKey"))
    }

    @Test func anImportNamesTheTypesOfParse() throws {
        let report = try ParseConfigImport(jsonData: Fixture.parseConfig.data).report
        #expect(
            report.map(\.path) == [
                "params.layout.openedAt", "params.launch", "params.logo", "params.office",
                "params.payload", "params.owner", "params.nothing",
            ])
        #expect(report[2].message.contains("type File"))
        #expect(report[2].message.contains("\"url\""))
    }

    @Test func anImportTakesTheBareParametersToo() throws {
        let parse = try imported(#"{"params": "text", "count": 1}"#)
        let parameters = try #require(parse.template.parameterGroups["Config"]).parameters
        #expect(Array(parameters.keys) == ["params", "count"])
        #expect(try imported("{}").template.parameterGroups["Config"]?.parameters.isEmpty == true)
        #expect(
            try imported(#"{"params": {}}"#).template.parameterGroups["Config"]?.parameters.isEmpty
                == true)
        let other = try imported(#"{"params": {"a": 1}, "count": 1}"#)
        #expect(other.template.parameterGroups["Config"]?.parameters["params"]?.valueType == .json)
    }

    @Test func anImportRenamesKeysAndLosesNone() throws {
        let parse = try imported(
            #"{"a.b": 1, "a-b": 2, "a_b": 3, "2nd": 4, "": 5, "größe": 6, "_": 7}"#)
        let parameters = try #require(parse.template.parameterGroups["Config"]).parameters
        #expect(
            parameters.mapValues { $0.defaultValue?.content } == [
                "a_b_2": .value("1"), "a_b_3": .value("2"), "a_b": .value("3"),
                "_2nd": .value("4"), "__2": .value("5"), "gr__e": .value("6"), "_": .value("7"),
            ])
        #expect(
            parse.report.map(\.path)
                == [#"["a.b"]"#, #"["a-b"]"#, "2nd", #"[""]"#, #"["größe"]"#])
        #expect(parse.report[0].message.contains("renamed to a_b_2"))
    }

    @Test func aRenamedParameterStaysHiddenFromClients() throws {
        let parse = try imported(
            #"{"params": {"a.b": 1, "a_b": 2, "c": 3}, "masterKeyOnly": {"a.b": true, "a_b": false}}"#
        )
        let parameters = try #require(parse.template.parameterGroups["Config"]).parameters
        #expect(parameters["a_b_2"]?.defaultValue?.content == .value("1"))
        #expect(parameters.filter { $0.value.isMasterKeyOnly }.map(\.key) == ["a_b_2"])
        #expect(parse.report.map(\.path) == [#"params["a.b"]"#])
    }

    @Test func anImportShortensKeysThatAreTooLong() throws {
        let name = String(repeating: "k", count: 300)
        let parse = try imported(#"{"\#(name)": 1, "\#(name)x": 2}"#)
        let keys = try #require(parse.template.parameterGroups["Config"]).parameters.names
        #expect(keys.count == 2)
        #expect(keys.allSatisfy { $0.count <= 256 })
        #expect(parse.report.count == 2)
    }

    @Test func anImportKeepsFromClientsWhatItCannotTell() throws {
        let parse = try imported(
            #"{"params": {"a": 1, "b": 2}, "masterKeyOnly": {"a": "yes", "b": null, "c": true}}"#)
        let parameters = try #require(parse.template.parameterGroups["Config"]).parameters
        #expect(parameters["a"]?.isMasterKeyOnly == true)
        #expect(parameters["b"]?.isMasterKeyOnly == false)
        #expect(parse.report.map(\.path) == ["masterKeyOnly.a", "masterKeyOnly.c"])
    }

    @Test func anImportRefusesWhatIsNoConfig() {
        #expect(throws: TemplateValidationError.self) { try imported("[]") }
        #expect(throws: TemplateValidationError.self) { try imported("{") }
        #expect(throws: TemplateValidationError.self) {
            try imported(#"{"params": {}, "masterKeyOnly": []}"#)
        }
        #expect(throws: TemplateValidationError.self) { try imported("{}", sectionName: "") }
    }

    @Test func anImportNamesTheSectionWhoseNameIsTooLong() {
        let error = #expect(throws: TemplateValidationError.self) {
            try imported(#"{"params": {"a": 1}}"#, sectionName: String(repeating: "x", count: 257))
        }
        #expect(
            error?.problems == [
                TemplateProblem(
                    path: "section", message: "the name has 257 characters; use at most 256")
            ])
    }

    @Test func anImportOfTooManyParametersIsRefusedBeforeTheirKeysAreMade() {
        let parameters = (0..<6_000).map { "\"a.\($0)\": 1" }.joined(separator: ",")
        let error = #expect(throws: TemplateValidationError.self) {
            try imported("{\"params\": {\(parameters)}}")
        }
        #expect(
            error?.problems == [
                TemplateProblem(
                    path: "params", message: "it has 6000 parameters; import at most 3000")
            ])
    }

    @Test func namesOfTheSameKeyAreNumberedInLinearTime() {
        let count = 3_000
        let others = (2...count).map { "a_\($0)" }
        var keys = FreeKeys(besides: others)
        let made = (0..<count).map { _ in keys.take(nearest: "a") }
        #expect(Set(made + others).count == made.count + others.count)
        #expect(made.prefix(2) == ["a", "a_\(count + 1)"])
        #expect(keys.attemptCount == made.count + others.count)
    }

    @Test func theReportIsBounded() throws {
        let name = String(repeating: "\u{1F600}", count: 250)
        let depth = 90
        let values = Array(repeating: #"{"__type": "D"}"#, count: 1_500).joined(separator: ",")
        let nested =
            String(repeating: "{\"\(name)\":", count: depth) + "[\(values)]"
            + String(repeating: "}", count: depth)
        let report = try imported("{\"a\": \(nested)}").report
        #expect(report.count == ImportReport.maximumCount + 1)
        #expect(report.allSatisfy { $0.path.utf8.count <= TemplatePath.maximumLength + 3 })
        #expect(report.first?.path.hasPrefix("a[\"\u{1F600}") == true)
        #expect(report.first?.path.hasSuffix("…") == true)
        #expect(
            report.last?.description
                == "In the file: there are 500 more remarks, which are not listed.")
    }
}
