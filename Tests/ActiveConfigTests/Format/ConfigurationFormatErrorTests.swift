import ActiveConfig
import ActiveConfigJSON
import Foundation
import Testing

/// Codes, places, paths and messages of format errors (FORMAT 1.6).
struct ConfigurationFormatErrorTests {
    typealias Code = ConfigurationFormatError.Code

    struct Place: Sendable, Equatable {
        let offset: Int
        let line: Int
        let column: Int
    }

    struct Expected: Sendable {
        let code: Code
        let place: Place
        let path: String

        init(_ code: Code, at offset: Int, _ line: Int, _ column: Int, in path: String) {
            self.code = code
            place = Place(offset: offset, line: line, column: column)
            self.path = path
        }
    }

    static let rows = [
        Row("empty", "", Expected(.unexpectedEnd, at: 0, 1, 1, in: "")),
        Row("blank lines", "\n\n  ", Expected(.unexpectedEnd, at: 4, 3, 3, in: "")),
        Row("not an object", "\n [1]", Expected(.notAnObject, at: 2, 2, 2, in: "")),
        Row("a key", "{\n  meta: {}\n}", Expected(.syntax, at: 4, 2, 3, in: "")),
        Row(
            "no colon", "{\r\n\"meta\" {}}", Expected(.syntax, at: 10, 2, 8, in: "meta")),
        Row(
            "in a setting",
            "{\"config_sections\":\n{\"Home\":{\"settings\":{\"a\":{\"value\":\n tru}}}}}",
            Expected(.syntax, at: 59, 3, 5, in: "config_sections.Home.settings.a.value")),
        Row(
            "in an array", #"{"meta":{"a":[1,[2,{"b":3}],[x]]}}"#,
            Expected(.syntax, at: 29, 1, 30, in: "meta.a[2][0]")),
        Row(
            "after a member", #"{"meta":{"a":1 "b":2}}"#,
            Expected(.syntax, at: 15, 1, 16, in: "meta.a")),
        Row(
            "columns count scalars", "{\"é😹\":\"\\q\"}",
            Expected(.invalidEscape, at: 11, 1, 8, in: "é😹")),
        Row(
            "after a byte order mark", "\u{FEFF}{\"meta\":x}",
            Expected(.syntax, at: 11, 1, 9, in: "meta")),
        Row(
            "a key with brackets", #"{"a]}\",{":{"b":?}}"#,
            Expected(.syntax, at: 16, 1, 17, in: #"a]}\",{.b"#)),
        Row(
            "meta is not an object", #"{"config_sections":{}, "meta":[]}"#,
            Expected(.metaMissing, at: 30, 1, 31, in: "meta")),
        Row(
            "sections are not an object", "{\"meta\":{},\n\"config_sections\":7}",
            Expected(.sectionsMissing, at: 30, 2, 19, in: "config_sections")),
        Row("no meta", "\n{}", Expected(.metaMissing, at: 1, 2, 1, in: "")),
        Row(
            "version", "{\"config_sections\":{},\n\"meta\":{\"format_version_string\": \"2.0\"}}",
            Expected(
                .unsupportedFormatVersion, at: 56, 2, 34, in: "meta.format_version_string")),
        Row(
            "the last version",
            """
            \u{FEFF}{"meta":{"format_version_string":"9"},"config_sections":{"S":[1]},
            "meta":{"format_version_string":"1","x":{},"format_version_string":"3.1"}}
            """,
            Expected(
                .unsupportedFormatVersion, at: 137, 2, 68, in: "meta.format_version_string")),
        Row(
            "out of range", #"{"meta":{"n":-1e999}}"#,
            Expected(.numberOutOfRange, at: 13, 1, 14, in: "meta.n")),
        Row(
            "content behind", "{\"meta\":{},\"config_sections\":{}}\n }",
            Expected(.contentAfterDocument, at: 34, 2, 2, in: "")),
    ]

    @Test(arguments: rows)
    func theErrorNamesTheKindThePlaceAndThePath(row: Row<String, Expected>) throws {
        let error = try DocumentText.fault(in: row.input)
        #expect(error.code == row.expected.code)
        #expect(error.path == row.expected.path)
        let place = Place(
            offset: try #require(error.byteOffset), line: try #require(error.line),
            column: try #require(error.column))
        #expect(place == row.expected.place)
    }

    @Test(arguments: rows)
    func theErrorIsOneSentenceWithThePlace(row: Row<String, Expected>) throws {
        let description = try DocumentText.fault(in: row.input).description
        let place = row.expected.place
        let path = row.expected.path.isEmpty ? "the document" : row.expected.path
        let start = "Line \(place.line), column \(place.column), byte \(place.offset), in \(path): "
        #expect(description.hasPrefix(start))
        #expect(description.hasSuffix("."))
        #expect(!description.dropFirst(start.count).contains(". "))
        #expect(!description.contains("\n") && description.utf8.count > start.utf8.count + 20)
    }

    @Test func theErrorShortensALongKey() throws {
        let key = String(repeating: "k", count: 1000)
        let error = try DocumentText.fault(in: #"{"\#(key)":?}"#)
        #expect(error.path == String(repeating: "k", count: 60) + "…")
    }

    @Test func theErrorDescribesAnErrorWithoutAText() {
        let error = ConfigurationFormatError(.tooDeep, reason: "it is", path: "meta.a")
        #expect(error.description == "In meta.a: it is.")
        #expect(error.byteOffset == nil && error.line == nil && error.column == nil)
        #expect(
            ConfigurationFormatError(.syntax, reason: "no").description == "In the document: no.")
    }

    @Test(arguments: [
        Row("syntax", Code.syntax, "syntax"), Row("UTF-8", .invalidUTF8, "invalidUTF8"),
        Row("escape", .invalidEscape, "invalidEscape"),
        Row("number", .numberOutOfRange, "numberOutOfRange"),
        Row("end", .unexpectedEnd, "unexpectedEnd"),
        Row("more", .contentAfterDocument, "contentAfterDocument"),
        Row("large", .tooLarge, "tooLarge"), Row("deep", .tooDeep, "tooDeep"),
        Row("object", .notAnObject, "notAnObject"), Row("meta", .metaMissing, "metaMissing"),
        Row("sections", .sectionsMissing, "sectionsMissing"),
        Row("none", .noSections, "noSections"),
        Row("version", .unsupportedFormatVersion, "unsupportedFormatVersion"),
        Row("value", .unsupportedValue, "unsupportedValue"),
    ])
    func theErrorNamesItsCode(row: Row<Code, String>) {
        #expect(row.input.description == row.expected)
    }

    @Test(arguments: [
        Row("known", JSONFault.Code.tooDeep, [Code.tooDeep]),
        Row("added", JSONFault.Code("metaMissing"), [.metaMissing]),
        Row("of another format", JSONFault.Code("unknownUnit"), []),
    ])
    func theErrorTakesOverAFaultOfTheJSONReader(row: Row<JSONFault.Code, [Code]>) throws {
        let fault = try #require(throws: JSONTextError.self) {
            try JSONReader.read(Array("[1,\n 2]".utf8), maximumSize: 10, maximumDepth: 1) {
                json throws(JSONFault) in
                try json.takeOpeningBracket()
                while try json.nextElement(isFirst: json.position == 1) {
                    let start = json.position
                    guard try json.readScalar() == .integer(1) else {
                        throw JSONFault(row.input, at: start, "it is not 1")
                    }
                }
            }
        }
        let error = ConfigurationFormatError(fault)
        #expect(error.code.description == row.input.description)
        #expect([.tooDeep, .metaMissing].filter { $0 == error.code } == row.expected)
        #expect(error.description == "Line 2, column 2, byte 5, in [1]: it is not 1.")
    }

    @Test func errorsOfTheSameFaultAreEqual() throws {
        let error = try DocumentText.fault(in: "{")
        #expect(try error == DocumentText.fault(in: "{"))
        #expect(
            try Set([error, DocumentText.fault(in: "["), DocumentText.fault(in: "{")]).count == 2)
    }
}
