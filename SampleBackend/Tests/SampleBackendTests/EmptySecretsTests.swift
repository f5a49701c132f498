import HTTPServing
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

@testable import SampleBackend

/// An empty secret is refused: it would start a server without the protection that was asked for.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EmptySecretsTests {
    /// All environment variables with a secret of a server, each with a command that reads it.
    static let variables: [NamedRow<[String]>] = [
        .init("ACTIVECONFIG_ADMIN_TOKEN", ["serve"]),
        .init("ACTIVECONFIG_CLIENT_KEY", ["serve"]),
        .init("ACTIVECONFIG_SERVICE_KEY", ["serve"]),
        .init("ACTIVECONFIG_USER_TOKEN_SECRET", ["serve"]),
        .init("ACTIVECONFIG_SIGNING_KEY", ["serve"]),
        .init("ACTIVECONFIG_SIGNING_KEY", ["keys", "public"]),
    ]

    static let options: [NamedRow<[String]>] = [
        .init("--client-key", ["serve"]), .init("--service-key", ["serve"]),
        .init("--user-token-secret", ["serve"]), .init("--token", ["get"]),
        .init("--client-key", ["watch"]), .init("--user-token", ["watch"]),
        .init("--explain-token", ["doctor", "--user-token-jwks", "/dev/null"]),
    ]

    /// The arguments of a command, for a server on a free port in memory.
    private static func command(_ words: [String]) -> [String] {
        words == ["serve"] ? words + ["--port", "0", "--store", "memory"] : words
    }

    @Test(arguments: variables, ["", " \n", "\u{200B}\u{FEFF}"])
    func anEmptyVariableIsRefused(row: NamedRow<[String]>, text: String) async throws {
        let run = try await CommandRun(Self.command(row.value), environment: [row.name: text])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains("\(row.name) is empty"), "\(run)")
        #expect(run.output.isEmpty)
    }

    @Test(arguments: options, ["", " ", "\u{200B} "])
    func anEmptyOptionIsRefused(row: NamedRow<[String]>, text: String) async throws {
        let run = try await CommandRun(Self.command(row.value) + [row.name, text])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains("invalid for \'\(row.name)"), "\(run)")
    }

    /// Of all kinds: format, control, separators, fillers, selectors, marks without an image.
    @Test(arguments: [
        "\u{200B}", "\u{200D}", "\u{FEFF}", "\u{AD}", "\u{2066}", "\u{E0020}", "\u{7F}", "\u{A0}",
        "\u{2028}", "\u{3000}", "\u{115F}", "\u{3164}", "\u{FE0F}", "\u{34F}",
    ])
    func aTextNobodySeesIsNoSecret(text: String) {
        #expect(Secret(argument: text) == nil)
        #expect(Secret(argument: " \(text)\(text)\n") == nil)
        #expect(Secret(argument: "\(text)a")?.text == "\(text)a")
    }

    @Test(arguments: ["--signing-key", "--user-token-jwks"], ["", " \n"])
    func anEmptyFileIsRefused(option: String, text: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "secret")
        let value = option == "--signing-key" ? "a:\(file)" : file
        let run = try await CommandRun(Self.command(["serve"]) + [option, value])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains(option), "\(run)")
    }
}
