import ActiveConfig
import SeededRandomness
import ServerTestSupport
import Targeting
import Testing

@testable import ConfigServer

/// Signals in a query (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SignalsTests {
    @Test func theServerReadsEverySignal() async throws {
        let query = [
            "app.id=com.example.app", "app.version=1.4.2", "app.build=77", "device.os=ios",
            "device.country=JP", "device.language=pt-BR", "signal.city=S%C3%A3o%20Paulo",
            "signal.a.b=1", "signal.plus=a+b", "signal.empty=", "signal.flag", "signal.%CC%81x=1",
        ]
        let section = try await Self.echo(query.joined(separator: "&"))
        #expect(
            section.dictionary(forKey: "signals") == [
                "app.id": .string("com.example.app"), "app.version": .string("1.4.2"),
                "app.build": .string("77"), "device.os": .string("ios"),
                "device.country": .string("JP"), "device.language": .string("pt-BR"),
            ])
        #expect(
            section.dictionary(forKey: "custom") == [
                "city": .string("São Paulo"), "a.b": .string("1"), "plus": .string("a+b"),
                "empty": .string(""), "flag": .string(""), "\u{301}x": .string("1"),
            ])
    }

    @Test func aRequestWithoutAQueryHasNoSignals() async throws {
        let section = try await Self.echo("")
        #expect(section.dictionary(forKey: "signals") == [:])
        #expect(section.dictionary(forKey: "custom") == [:])
    }

    @Test func theServerIgnoresOtherParameters() async throws {
        let query = [
            "utm=1", "app=2", "App.id=3", "signals.x=4", "app.id.x=5", "%FF=6", "broken=%F", "=",
            "&&", "signal=8", "x=\(String(repeating: "x", count: 600))",
        ]
        let section = try await Self.echo(query.joined(separator: "&"))
        #expect(section.dictionary(forKey: "signals") == [:])
        #expect(section.dictionary(forKey: "custom") == [:])
    }

    @Test func theLastOfTwoSignalsOfOneNameCounts() async throws {
        let section = try await Self.echo("app.id=1&app.id=2&signal.a=1&signal.%61=2")
        #expect(section.dictionary(forKey: "signals") == ["app.id": .string("2")])
        #expect(section.dictionary(forKey: "custom") == ["a": .string("2")])
    }

    /// Percent-encoded text of `count` characters, each of four bytes in UTF-8.
    private static func emoji(_ count: Int) -> String {
        String(repeating: "%F0%9F%98%80", count: count)
    }

    private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func custom(_ count: Int) -> String {
        (0..<count).map { "signal.s\($0)=\(x(400))" }.joined(separator: "&")
    }

    /// Percent-encoded letter with combining marks, which is shown as one character.
    private static func marks(_ count: Int) -> String {
        "e" + String(repeating: "%CC%81", count: count)
    }

    /// All limits at once, in ASCII; the request line must be able to hold it.
    private static var everythingAtItsLimit: String {
        let custom = (0..<100).map { number in
            let name = "\(number)".padding(toLength: 250)
            return "signal.\(name)=\(x(500))"
        }
        let standard = [
            "app.id", "app.version", "app.build", "device.os", "device.country", "device.language",
        ].map { "\($0)=\(x(500))" }
        return (standard + custom).joined(separator: "&")
    }

    static let accepted: [NamedRow<String>] = [
        .init("100 custom signals", custom(100)),
        .init("100 custom signals, one twice", custom(100) + "&signal.s1=again"),
        .init("a name of 250", "signal.\(x(250))=1"),
        .init("a name of 250 emoji", "signal.\(emoji(250))=1"),
        .init("a value of 500", "signal.a=\(x(500))"),
        .init("a value of 500 emoji", "signal.a=\(emoji(500))"),
        .init("app.id of 500", "app.id=\(x(500))"),
        .init("everything at its limit", everythingAtItsLimit),
    ]

    @Test(arguments: accepted)
    func theServerAcceptsSignalsAtTheLimit(row: NamedRow<String>) async throws {
        let answer = try await RunningServer.with {
            try await $0.answer("/activeconfig?\(row.value)")
        }
        #expect(answer.status == 200)
    }

    /// Refused queries with the parameter that the message must name.
    static let refused: [NamedRow<(query: String, parameter: String)>] = [
        .init("101 custom signals", (custom(101), "signal.s100")),
        .init("a name of 251", ("signal.\(x(251))=1", "signal.xxx")),
        .init("a name of 251 emoji", ("signal.\(emoji(251))=1", "signal.😀")),
        .init("no name", ("signal.=1", "signal.")),
        .init("a value of one letter and 500 marks", ("signal.city=\(marks(500))", "signal.city")),
        .init("a value of one letter and 15,000 marks", ("app.id=\(marks(15_000))", "app.id")),
        .init("a name of one letter and 250 marks", ("signal.\(marks(250))=1", "signal.e\u{301}")),
        .init("a value of 501", ("signal.city=\(x(501))", "signal.city")),
        .init("a value of 501 emoji", ("signal.city=\(emoji(501))", "signal.city")),
        .init("app.id of 501", ("app.id=\(x(501))", "app.id")),
        .init("app.version of 501", ("app.version=\(x(501))", "app.version")),
        .init("app.build of 501", ("app.build=\(x(501))", "app.build")),
        .init("device.os of 501", ("device.os=\(x(501))", "device.os")),
        .init("device.country of 501", ("device.country=\(x(501))", "device.country")),
        .init("device.language of 501", ("device.language=\(x(501))", "device.language")),
        .init("a value that is not encoded", ("signal.city=%F", "signal.city")),
    ]

    @Test(arguments: refused)
    func theServerRefusesInvalidSignalsAndNamesTheParameter(
        row: NamedRow<(query: String, parameter: String)>
    ) async throws {
        try await RunningServer.with { server in
            for path in ["/activeconfig", "/activeconfig/user/1", "/active_config"] {
                let answer = try await server.answer("\(path)?\(row.value.query)")
                #expect(answer.status == 400)
                #expect(answer.error?.status == "INVALID_ARGUMENT")
                // Compares bytes, since the expected part may end between the marks of a letter.
                let message = Array(try #require(answer.error?.message).utf8)
                #expect(message.contains(Array("\"\(row.value.parameter)".utf8)))
            }
        }
    }

    private static func echo(_ query: String) async throws -> ActiveConfigSection {
        let answer = try await RunningServer.with(source: EchoSource()) {
            try await $0.answer("/activeconfig/user/1?\(query)")
        }
        try #require(answer.status == 200)
        return try #require(
            try ConfigurationState(jsonData: answer.body).section(named: "Echo"))
    }
}

extension String {
    /// Appends "n" up to the given length.
    fileprivate func padding(toLength length: Int) -> String {
        self + String(repeating: "n", count: length - count)
    }
}
