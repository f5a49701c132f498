import AdminAPI
import ConfigServer
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import SampleBackend

/// Commands print a server's texts without characters that control a terminal.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TerminalTextTests {
    /// Contains C0 and C1 control characters, a bidirectional override, and line separators.
    private static let name =
        "a\u{1B}[31mb\u{9B}2Jc\u{202E}d\u{2028}e\nf\rg\u{7F}\u{0}h\u{1B}]0;x\u{7}"

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar == "\n"
            case .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    @Test func aStoredNameIsPrintedEscaped() async throws {
        let store = InMemoryTemplateStore()
        let token = AccessToken(
            name: Self.name, role: .publisher, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: Self.name)
        try await RunningServer.with(store: store) { server in
            let template: JSONNode = [
                "conditions": [["name": "c", "expression": "percent('x') <= 50"]],
                "parameters": ["k": ["defaultValue": ["value": "x"]]],
            ]
            #expect(
                try await server.administer(
                    "PUT", "/v1/projects/default/remoteConfig", body: template, token: token.text,
                    fields: ["If-Match: *"]
                ).status == 200)
            for arguments in [
                ["tokens", "list"], ["audit"], ["versions"], ["evaluate"], ["get"],
                ["tokens", "list", "--json"], ["audit", "--json"], ["versions", "--json"],
                ["evaluate", "--json"], ["diff", "1", "1"], ["rollback", "1", "--json"],
                ["overrides", "get", Self.escapeless], ["tokens", "revoke", Self.escapeless],
                ["diff", "1", "--file", "/dev/null"],
            ] {
                let run = try await CommandRun(
                    arguments + ["--server", "http://127.0.0.1:\(server.port)"],
                    environment: ["ACTIVECONFIG_TOKEN": token.text])
                #expect(Self.isPlain(run.output) && Self.isPlain(run.error), "\(arguments) \(run)")
            }
            let list = try await CommandRun(
                ["tokens", "list", "--server", "http://127.0.0.1:\(server.port)"],
                environment: ["ACTIVECONFIG_TOKEN": token.text])
            #expect(
                list.output.contains(#"a\u{1b}[31mb\u{9b}2Jc\u{202e}d\u{2028}e\nf\r"#), "\(list)")
            #expect(list.output.split(separator: "\n").count == 2, "\(list)")
            let json = try await CommandRun(
                ["tokens", "list", "--json", "--server", "http://127.0.0.1:\(server.port)"],
                environment: ["ACTIVECONFIG_TOKEN": token.text]
            ).json
            #expect(json["tokens"]?.arrayValue?.first?["name"]?.stringValue == Self.name)
        }
    }

    /// The name without NUL, which no argument can contain.
    private static let escapeless = name.replacing("\u{0}", with: "")

    static let wideNames: [NamedRow<(name: String, width: Int)>] = [
        .init("an emoji of two characters", ("👍🏽", 2)), .init("a flag", ("🇩🇪", 2)),
        .init("a sign as an emoji", ("❤️", 2)), .init("combining marks", ("e\u{301}\u{323}", 1)),
        .init("Chinese", ("漢字", 4)), .init("Korean", ("한글", 4)),
        .init("letters of full width", ("Ａ", 2)), .init("a mark alone", ("\u{301}", 0)),
    ]

    /// The columns of the following cells start at the same place, and no cell is cut.
    @Test(arguments: wideNames)
    func aTableKeepsItsCellsWholeAndAligned(row: NamedRow<(name: String, width: Int)>) {
        let (name, width) = row.value
        #expect(name.displayWidth == width)
        let cell = "\(name) said \"yes\""
        let lines = Output.tableLines(
            ["NAME", "ROLE"], [[cell, "viewer"], ["a", "\(name)\(name)"], ["", "b"]])
        let start = max(4, width + 11) + 2
        #expect(
            lines == [
                "NAME" + String(repeating: " ", count: start - 4) + "ROLE", "\(cell)  viewer",
                "a" + String(repeating: " ", count: start - 1) + "\(name)\(name)",
                String(repeating: " ", count: start) + "b",
            ])
    }

    @Test(arguments: ["a ", " a", "\u{A0}a", " "])
    func whiteSpaceAtAnEndIsShown(name: String) {
        let lines = Output.tableLines(["USER", "X"], [[name, "x"], ["x", name], ["a b", ""]])
        #expect(lines[1].hasPrefix("\"\(name)\" ") && lines[1].hasSuffix("  x"))
        #expect(lines[2].hasSuffix("\"\(name)\""))
        #expect(lines[3] == "a b")
    }
}
