import ActiveConfig
import ActiveConfigGeneration
import Foundation
import Testing

/// Reading of documents and schemas, and the errors for invalid ones.
struct SettingsModelFilesTests {
    private static let document = """
        {
            "meta": {},
            "config_sections": {
                "Home": {
                    "settings": {
                        "limit": { "value": [1, "x", 2.5] },
                        "title": { "value": "Hi" }
                    }
                }
            }
        }
        """

    private func model(_ document: String = document, schema: String?) throws -> SettingsModel {
        try SettingsModel(document: Data(document.utf8), schema: schema.map { Data($0.utf8) })
    }

    @Test func aSchemaGivesTypesAndDescriptions() throws {
        let schema = """
            {
                "access_level": "package",
                "config_sections": {
                    "Home": {
                        "description": "Start.",
                        "settings": {
                            "title": { "type": "string?", "description": "On top." },
                            "page": { "type": "url?" }
                        }
                    }
                }
            }
            """
        let model = try model(schema: schema)
        #expect(model.accessLevel == .package)
        let home = try #require(model.sections["Home"])
        #expect(home.description == "Start.")
        #expect(home.settings["title"]?.type == .optional(.string))
        #expect(home.settings["title"]?.description == "On top.")
        #expect(home.settings["limit"]?.type == .array(.json))
        #expect(home.settings["page"]?.type == .optional(.url))
    }

    @Test func whatADocumentHasInAnotherShapeIsNamedWithItsPlace() throws {
        let document = """
            {
                "meta": {},
                "config_sections": {
                    "Home": { "settings": { "title": "Hello", "limit": { "value": 1 } } },
                    "None": 1
                }
            }
            """
        let omissions = SettingsModel.omissions(in: Data(document.utf8))
        #expect(
            omissions.map { $0.diagnostic(path: "A.json", severity: .warning) } == [
                "A.json:4:42: warning: in config_sections.Home.settings.title: the setting is a "
                    + "string where {\"value\": …} is expected, so it is left out",
                "A.json:5:17: warning: in config_sections.None: the section is a number where an "
                    + "object with \"settings\" is expected",
            ])
        #expect(SettingsModel.omissions(in: Data("{".utf8)) == [])
    }

    @Test func anIntegerBeyond64BitsIsNamedWithItsPlace() throws {
        let document = """
            {
                "meta": {},
                "config_sections": {
                    "Home": {
                        "settings": { "max.limit": { "value": [1, 12345678901234567890] } }
                    }
                }
            }
            """
        #expect(
            SettingsModel.omissions(in: Data(document.utf8)).map {
                $0.diagnostic(path: "A.json", severity: .warning)
            } == [
                "A.json:5:40: warning: in config_sections.Home.settings.max.limit: the setting has the "
                    + "integer 12345678901234567890, which does not fit 64 bits and is read as the "
                    + "nearest double; send it as a string"
            ])
    }

    @Test func withoutASchemaTheModelIsTheConfigurations() throws {
        let state = try ConfigurationState(jsonData: Data(Self.document.utf8))
        #expect(try model(schema: nil) == SettingsModel(state))
        #expect(try model(schema: "{}") == SettingsModel(state))
    }

    /// Rows: document, line, column, part of the reason.
    @Test(arguments: [
        ("", 1, 1, "the text ends"), ("{\n  \"meta\": tru\n}", 2, 14, "\"true\" is expected"),
        ("{\"meta\": {},\n \"config_sections\": []}", 2, 21, "not an object"),
        (
            "{\"meta\": {\"format_version_string\": \"2.0\"}, \"config_sections\": {}}", 1, 36,
            "newer"
        ),
    ])
    func aWrongDocumentHasAPlace(document: String, line: Int, column: Int, reason: String) throws {
        let error = try #require(throws: SettingsModelError.self) {
            try model(document, schema: nil)
        }
        #expect(error.file == .document)
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.reason.contains(reason), "\(error)")
    }

    /// Rows: type in the schema, path in the document, part of the reason.
    @Test(arguments: [
        ("[int]", 6, 41, "config_sections.Home.settings.limit.value[1]", "the string \"x\""),
        ("[string]", 6, 38, "config_sections.Home.settings.limit.value[0]", "a string is expected"),
        ("int?", 6, 37, "config_sections.Home.settings.limit.value", "an integer is expected"),
        ("{json}", 6, 37, "config_sections.Home.settings.limit.value", "an object"),
    ])
    func aDefaultOfAnotherTypeHasAPlace(
        type: String, line: Int, column: Int, path: String, reason: String
    ) throws {
        let schema =
            #"{"config_sections": {"Home": {"settings": {"limit": {"type": "\#(type)"}}}}}"#
        let error = try #require(throws: SettingsModelError.self) { try model(schema: schema) }
        #expect(error.file == .document)
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.path == path)
        #expect(error.reason.contains(reason), "\(error)")
    }

    @Test(arguments: [
        ("int", "3.5"), ("int", "1e300"), ("int", #""3.5""#), ("float", "1e39"), ("url", #""""#),
        ("duration", #""P1Y""#), ("date", #""2026-11-22""#), ("data", #""*""#), ("uuid", #""x""#),
        ("bool", #""maybe""#), ("bool", "null"), ("string", "3"), ("{int}", "[]"),
    ])
    func aDefaultHasToReadAsTheType(type: String, value: String) throws {
        let type = try #require(SettingType(type))
        let value = try SettingValue(jsonData: Data(value.utf8))
        #expect(throws: SettingsModelError.self) {
            try SettingsModel.Setting(default: value, type: type)
        }
    }

    /// Rows: schema, line, column, path, part of the reason.
    @Test(arguments: [
        ("{\n]", 2, 1, "", "a key in quotation marks"), ("[]", 1, 1, "", "no object"),
        (#"{"sections": {}}"#, 1, 14, "sections", "\"access_level\" and \"config_sections\""),
        (#"{"access_level": "open"}"#, 1, 18, "access_level", "\"internal\""),
        (
            "{\"config_sections\":\n{\"Home\": {\"settings\": {\"title\": {\"type\": \"text\"}}}}}",
            2, 42, "config_sections.Home.settings.title.type", "\"text\" is no type; use bool"
        ),
        (
            #"{"config_sections": {"Home": {"settings": {"title": {"typ": "int"}}}}}"#, 1, 61,
            "config_sections.Home.settings.title.typ", "\"description\" and \"type\""
        ),
        (
            #"{"config_sections": {"Home": {"settings": {"titel": {"type": "int"}}}}}"#, 1, 53,
            "config_sections.Home.settings.titel", "no such setting"
        ),
        (
            #"{"config_sections": {"Hone": {}}}"#, 1, 30, "config_sections.Hone", "no such section"
        ),
        (
            #"{"config_sections": {"Home": {"description": 3}}}"#, 1, 46,
            "config_sections.Home.description", "no string"
        ),
    ])
    func aWrongSchemaHasAPlace(
        schema: String, line: Int, column: Int, path: String, reason: String
    ) throws {
        let error = try #require(throws: SettingsModelError.self) { try model(schema: schema) }
        #expect(error.file == .schema)
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.path == path)
        #expect(error.reason.contains(reason), "\(error)")
        #expect(error.diagnostic(path: "/x.json").hasPrefix("/x.json:\(line):\(column): error: "))
    }

    /// The last of duplicate keys counts (FORMAT 1.3), also for the place of an error.
    @Test func aPlaceIsThatOfTheLastOfEqualNames() throws {
        let document = """
            {"meta": {}, "config_sections": {"a": {"settings": {"k": {"value": 1}}},
            "a": {"settings": {"k": {"value": 2}, "k": {"value": 3,
            "value": "x"}}}}}
            """
        let schema = #"{"config_sections": {"a": {"settings": {"k": {"type": "int"}}}}}"#
        let error = try #require(throws: SettingsModelError.self) {
            try model(document, schema: schema)
        }
        #expect(error.line == 3)
        #expect(error.column == 10)
    }
}
