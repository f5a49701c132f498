import ActiveConfig
import Foundation
import Testing

/// The cases of JSONTestSuite (FORMAT 1.1, 1.2, 1.4, 1.5).
@Suite(.onOneThread)
struct JSONTestSuiteTests {
    /// Expected result of parsing a case.
    enum Verdict: String, Decodable {
        case accept
        case reject
        case either
    }

    /// Text of a case: Base64, or a repeated part with a tail.
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let expected: Verdict
        let base64: Data?
        let `repeat`: Repetition?
        let tail: Data?

        struct Repetition: Decodable, Sendable {
            let part: Data
            let count: Int

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                part = try container.decode(Data.self)
                count = try container.decode(Int.self)
            }
        }

        var testDescription: String { name }

        var text: Data {
            guard let `repeat` else { return base64 ?? Data() }
            return Data(repeatElement(`repeat`.part, count: `repeat`.count).joined())
                + (tail ?? Data())
        }
    }

    private struct File: Decodable {
        let cases: [Case]
    }

    /// All cases; empty if the file cannot be read, which `theReaderReadsAllCases` detects.
    static let cases =
        (try? JSONDecoder().decode(File.self, from: Fixture.data("json-test-suite.json")).cases)
        ?? []

    /// Invalid cases that are accepted on purpose: one comma before a bracket (FORMAT 1.2).
    static let trailingCommas: Set = [
        "n_array_extra_comma", "n_array_number_and_comma", "n_object_trailing_comma",
    ]

    /// Invalid as a text, accepted as a setting, where its comma precedes a closing brace.
    static let commaBehindTheValue = "n_array_comma_after_close"

    /// Result of a read, and the time it took.
    private func measure(
        _ read: () throws(ConfigurationFormatError) -> SettingValue?
    ) -> (Result<SettingValue?, ConfigurationFormatError>, Duration) {
        let start = ContinuousClock.now
        do throws(ConfigurationFormatError) {
            let value = try read()
            // deadline: a minute, where a case takes milliseconds
            return (.success(value), .now - start)
        } catch {
            // deadline: a minute, where a case takes milliseconds
            return (.failure(error), .now - start)
        }
    }

    @Test func theReaderReadsAllCases() {
        #expect(Self.cases.count == 318)
        #expect(Self.cases.count { $0.expected == .accept } == 95)
        #expect(Self.cases.count { $0.expected == .reject } == 188)
        let names = Set(Self.cases.map(\.name))
        #expect(names.isSuperset(of: Self.trailingCommas.union([Self.commaBehindTheValue])))
    }

    /// Tries each case as a standalone JSON value.
    @Test(arguments: cases)
    func theReaderReadsATextAsTheStandardHasIt(test: Case) {
        let (result, duration) = measure { () throws(ConfigurationFormatError) in
            try SettingValue(jsonData: test.text)
        }
        #expect(duration < Self.patience)
        switch test.expected {
        case .accept: #expect(throws: Never.self) { try result.get() }
        case .reject where Self.trailingCommas.contains(test.name):
            #expect(throws: Never.self) { try result.get() }
        case .reject:
            let error = #expect(throws: ConfigurationFormatError.self) { try result.get() }
            #expect(0...test.text.count ~= error?.byteOffset ?? -1)
        case .either: break
        }
    }

    /// Tries each case as the value of a setting, with the public API.
    @Test(arguments: cases)
    func theReaderReadsASettingAsTheStandardHasIt(test: Case) throws {
        let parts = DocumentText.make(value: "@").split(separator: "@").map { Data($0.utf8) }
        let document = try #require(parts.first) + test.text + #require(parts.last)
        let (result, duration) = measure { () throws(ConfigurationFormatError) in
            try ConfigurationState(jsonData: document).section(named: "S")?["k"]
        }
        #expect(duration < Self.patience)
        switch test.expected {
        case .accept:
            let value = try #require(try result.get())
            #expect(try value == SettingValue(jsonData: test.text))
            #expect(try SettingValue(jsonData: Data(value.description.utf8)) == value)
        case .reject
        where Self.trailingCommas.contains(test.name) || test.name == Self.commaBehindTheValue:
            #expect(throws: Never.self) { try result.get() }
        case .reject:
            #expect(throws: ConfigurationFormatError.self) { try result.get() }
        case .either: break
        }
    }

    /// Much longer than the milliseconds that a case takes on an idle machine.
    private static let patience: Duration = .seconds(60)

    /// Tries each case as a whole document; none of them is one.
    @Test(arguments: cases)
    func theReaderRefusesATextThatIsNoDocument(test: Case) throws {
        let (result, duration) = measure { () throws(ConfigurationFormatError) in
            _ = try ConfigurationState(jsonData: test.text)
            return nil
        }
        #expect(duration < Self.patience)
        let error = try #require(throws: ConfigurationFormatError.self) { try result.get() }
        let isJSON = (try? SettingValue(jsonData: test.text)) != nil
        let codes: [ConfigurationFormatError.Code] = [.notAnObject, .metaMissing]
        if isJSON { #expect(codes.contains(error.code)) }
    }
}
