import ActiveConfig
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Documents over real sockets (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DocumentRoutesTests {
    /// Values that the sample source gives a user.
    struct SampleRow {
        let target: String
        let label: String
        var number = 0.0
        var isButtonEnabled = false
    }

    static let sampleRows: [NamedRow<SampleRow>] = [
        .init("no user", .init(target: "/activeconfig", label: "NaN")),
        .init("user 1", .init(target: "/activeconfig/user/1", label: "1", number: 1)),
        .init("user 2", .init(target: "/activeconfig/user/2", label: "2", number: 2)),
        .init(
            "user 3",
            .init(target: "/activeconfig/user/3", label: "3", number: 3, isButtonEnabled: true)),
        .init("zero", .init(target: "/activeconfig/user/0", label: "0")),
        .init("minus zero", .init(target: "/activeconfig/user/-0", label: "-0")),
        .init("negative", .init(target: "/activeconfig/user/-2", label: "-2", number: -2)),
        .init("no number", .init(target: "/activeconfig/user/abc", label: "abc")),
        .init("a fraction", .init(target: "/activeconfig/user/1.5", label: "1.5")),
        .init("an exponent", .init(target: "/activeconfig/user/1e3", label: "1e3")),
        .init("hexadecimal", .init(target: "/activeconfig/user/0x10", label: "0x10")),
        .init("only a sign", .init(target: "/activeconfig/user/-", label: "-")),
        .init(
            "beyond Int64",
            .init(
                target: "/activeconfig/user/99999999999999999999", label: "99999999999999999999",
                number: 100_000_000_000_000_000_000)),
        .init("emoji", .init(target: "/activeconfig/user/%F0%9F%98%80", label: "😀")),
        .init("old path", .init(target: "/active_config?userID=2", label: "2", number: 2)),
        .init("old path without a user", .init(target: "/active_config", label: "NaN")),
        .init(
            "project default",
            .init(target: "/projects/default/activeconfig/user/2", label: "2", number: 2)),
        .init(
            "project default, no user",
            .init(target: "/projects/default/activeconfig", label: "NaN")),
    ]

    @Test(arguments: sampleRows)
    func eachUserGetsTheValuesOfTheSampleSource(row: NamedRow<SampleRow>) async throws {
        let answer = try await RunningServer.with { try await $0.answer(row.value.target) }
        #expect(answer.status == 200)
        #expect(answer.fields["content-type"] == "application/json")
        #expect(answer.fields["cache-control"] == "private, no-cache")
        let state = try ConfigurationState(jsonData: answer.body)
        #expect(state.formatVersion == "1.0")
        #expect(state.creationTime == SampleDocumentSource.creationTime)
        #expect(state.sectionNames == ["SampleViewConfiguration"])
        let section = try #require(state.section(named: "SampleViewConfiguration"))
        #expect(
            section.string(forKey: "LabelText")
                == "This is a label value for user ID \(row.value.label)")
        #expect(section.bool(forKey: "ButtonEnabled") == row.value.isButtonEnabled)
        let color = try #require(section.dictionary(forKey: "ViewBackgroundColor"))
        let number = row.value.number
        #expect(Self.number(color["red"]) == (number == 0 ? 0 : sin(45 / number) / number))
        #expect(Self.number(color["green"]) == (number == 0 ? 0 : cos(30) / number))
        #expect(Self.number(color["blue"]) == (number == 0 ? 0 : 1 / number))
    }

    @Test(arguments: [400, 401, 10_000])
    func theServerSurvivesUserIDsWithAnyNumberOfDigits(digits: Int) async throws {
        let number = String(repeating: "9", count: digits)
        try await RunningServer.with { server in
            for userID in [number, "-\(number)"] {
                let answer = try await server.answer("/activeconfig/user/\(userID)")
                #expect(answer.status == 200)
                #expect(throws: Never.self) { try ConfigurationState(jsonData: answer.body) }
            }
        }
    }

    static let userIDs: [NamedRow<(target: String, userID: String?)>] = [
        .init("slash", ("/activeconfig/user/a%2Fb", "a/b")),
        .init("lowercase hexadecimal", ("/activeconfig/user/a%2fb", "a/b")),
        .init("two dots", ("/activeconfig/user/..", "..")),
        .init("encoded dots", ("/activeconfig/user/%2e%2e", "..")),
        .init("dots and slashes", ("/activeconfig/user/..%2F..%2Fetc", "../../etc")),
        .init("one dot", ("/activeconfig/user/.", ".")),
        .init("empty", ("/activeconfig/user/", "")),
        .init("plus", ("/activeconfig/user/a+b", "a+b")),
        .init("encoded plus", ("/activeconfig/user/a%2Bb", "a+b")),
        .init("space", ("/activeconfig/user/a%20b", "a b")),
        .init("percent", ("/activeconfig/user/100%25", "100%")),
        .init("encoded twice", ("/activeconfig/user/%252F", "%2F")),
        .init("question mark", ("/activeconfig/user/a%3Fb", "a?b")),
        .init("NUL", ("/activeconfig/user/%00", "\0")),
        .init("replacement character", ("/activeconfig/user/%EF%BF%BD", "\u{FFFD}")),
        .init("composed", ("/activeconfig/user/%C3%A9", "\u{E9}")),
        .init("decomposed", ("/activeconfig/user/e%CC%81", "e\u{301}")),
        .init("emoji", ("/activeconfig/user/%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80", "👩‍🚀")),
        .init("10 kB", ("/activeconfig/user/" + .init(repeating: "x", count: 10_240), nil)),
        .init("word of a route", ("/activeconfig/user/user", "user")),
        .init("encoded literal", ("/%61ctiveconfig/user/7", "7")),
        .init("absolute form", ("http://localhost/activeconfig/user/7", "7")),
        .init("old path, plus", ("/active_config?userID=a+b", "a+b")),
        .init("old path, slash", ("/active_config?userID=a/b", "a/b")),
        .init("old path, equals sign", ("/active_config?userID=a=b", "a=b")),
        .init("old path, empty", ("/active_config?userID=", "")),
        .init("old path, no equals sign", ("/active_config?userID", "")),
        .init("old path, last of two", ("/active_config?userID=1&userID=2", "2")),
        .init("old path, encoded name", ("/active_config?user%49D=2", "2")),
    ]

    @Test(arguments: userIDs)
    func theServerDecodesUserIDsOfAnyKind(
        row: NamedRow<(target: String, userID: String?)>
    ) async throws {
        let answer = try await RunningServer.with(source: EchoSource()) {
            try await $0.answer(row.value.target)
        }
        #expect(answer.status == 200)
        let section = try ConfigurationState(jsonData: answer.body).section(named: "Echo")
        let expected = row.value.userID ?? String(row.value.target.dropFirst(19))
        let userID = try #require(section?.string(forKey: "userID"))
        #expect(userID.utf8.elementsEqual(expected.utf8))
    }

    @Test(arguments: ["/activeconfig", "/active_config", "/active_config?userid=1"])
    func aRequestWithoutAUserIDIsForTheGenericUser(target: String) async throws {
        let answer = try await RunningServer.with(source: EchoSource()) {
            try await $0.answer(target)
        }
        let section = try ConfigurationState(jsonData: answer.body).section(named: "Echo")
        #expect(section?.value(forKey: "userID") == .null)
    }

    @Test(arguments: [
        NamedRow("no digits", "/activeconfig/user/%"),
        NamedRow("one digit", "/activeconfig/user/%4"),
        NamedRow("no hexadecimal", "/activeconfig/user/%zz"),
        NamedRow("invalid UTF-8", "/activeconfig/user/%FF"),
        NamedRow("cut UTF-8", "/activeconfig/user/%F0%9F%98"),
        NamedRow("a surrogate", "/activeconfig/user/%ED%A0%80"),
        NamedRow("overlong", "/activeconfig/user/%C0%AF"),
        NamedRow("in the query", "/active_config?userID=%FF"),
        NamedRow("in a signal", "/activeconfig?app.version=%F"),
        NamedRow("raw UTF-8", "/activeconfig/user/😀"),
        NamedRow("no slash at the start", "activeconfig"),
        NamedRow("the whole server", "*"),
    ])
    func theServerRefusesAMalformedTarget(row: NamedRow<String>) async throws {
        let answer = try await RunningServer.with { try await $0.answer(row.value) }
        #expect(answer.status == 400)
        #expect(answer.error?.code == 400)
        #expect(answer.error?.status == "INVALID_ARGUMENT")
    }

    @Test func theServerRefusesATargetWithRawBytesThatAreNotUTF8() async throws {
        let answer = try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(Array("GET /activeconfig/user/".utf8) + [0xFF, 0xFE])
                connection.send(" HTTP/1.1\r\nHost: test\r\n\r\n")
                return try await connection.receive()
            }
        }
        #expect(answer.status == 400)
    }

    @Test func theSampleSourceHasOnlyTheDefaultProject() async throws {
        try await RunningServer.with { server in
            for project in ["other", "", "Default", "de%66ault%20"] {
                let answer = try await server.answer("/projects/\(project)/activeconfig/user/1")
                #expect(answer.status == 404)
                #expect(answer.error?.status == "NOT_FOUND")
            }
        }
    }

    @Test func theServerAnswersHEADLikeGETWithoutABody() async throws {
        try await RunningServer.with { server in
            let get = try await server.answer("/activeconfig/user/1")
            let head = try await server.answer("/activeconfig/user/1", method: "HEAD")
            #expect(head.status == 200)
            #expect(head.fields["etag"] == get.fields["etag"])
            #expect(head.fields["content-length"] == "\(get.body.count)")
        }
    }

    @Test func theServerAnswers503WithoutTheReasonWhenTheSourceFails() async throws {
        try await RunningServer.with(source: FailingSource()) { server in
            for target in ["/activeconfig", "/activeconfig/user/1", "/active_config?userID=1"] {
                let answer = try await server.answer(target)
                #expect(answer.status == 503)
                #expect(answer.error?.status == "UNAVAILABLE")
                #expect(!String(decoding: answer.body, as: UTF8.self).contains("Secret"))
            }
        }
    }

    private static func number(_ value: SettingValue?) -> Double? {
        switch value {
        case .double(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    @Test func anIDThatIsTooLongForItsPlacesIsRefused() async throws {
        let shown = String(repeating: "${user.id}", count: 1_000)
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish([
                "parameters": ["title": ["defaultValue": ["value": .string(shown)]]]
            ])
            for (length, status) in [(4_000, 200), (5_000, 400)] {
                let userID = String(repeating: "u", count: length)
                let path = "/activeconfig/user/\(userID)"
                #expect(await server.status(path) == status)
                let known = try await server.answer(path, fields: ["If-None-Match: \"x\""])
                #expect(known.status == status)
                let flags = try await server.administer(
                    "POST", "/ofrep/v1/evaluate/flags",
                    body: ["context": ["targetingKey": .string(userID)]], token: nil)
                #expect(flags.status == status)
            }
            // A template that does not use the ID accepts any.
            try await server.publish(["parameters": ["title": ["defaultValue": ["value": "a"]]]])
            #expect(
                await server.status("/activeconfig/user/\(String(repeating: "u", count: 100_000))")
                    == 200)
        }
    }
}
