import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Values at the limits that the OpenAPI description states.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RequestValuesTests {
    private static let path = "/v1/projects/default/remoteConfig"

    @Test(arguments: [
        ("0", 400), ("01", 400), ("+1", 400), ("1", 200), ("999999999999999999", 200),
        ("1000000000000000000", 400), ("%EF%BC%91", 400),
    ])
    func aPageTokenIsAPositiveNumberOfDigitsAlone(text: String, status: Int) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer(
                "GET", Self.path + ":listVersions?pageToken=\(text)")
            #expect(answer.status == status)
        }
    }

    @Test(arguments: [
        ("2026-01-31T12:00:00Z", 200), ("2026-01-31T12:00:00.5%2B22:44", 200),
        ("2026-01-31T12:00:00-23:59", 200), ("2026-01-31T12:00:00%2B24:00", 400),
        ("2026-01-31", 400), ("2026-02-30T00:00:00Z", 400), ("2026-01-31T12:00:00Zx", 400),
    ])
    func timesMayHaveAnyOffsetBelowADay(text: String, status: Int) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer(
                "GET", Self.path + ":listVersions?endTime=\(text)")
            #expect(answer.status == status)
        }
    }

    @Test func blanksAroundTheValueOfAFieldCountForNothing() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for (before, after) in [("", " "), ("", " \t"), (" \t", ""), ("\t ", "\t\t")] {
                let credentials = "Bearer \(RunningServer.administratorToken)"
                let answer = try await server.answer(
                    Self.path, fields: ["Authorization:\(before)\(credentials)\(after)"])
                #expect(answer.status == 200)
            }
        }
    }

    @Test(arguments: [("1", 200), ("1.0", 200), ("\"1\"", 200), ("1.5", 400), ("0", 400)])
    func aVersionNumberIsAPositiveIntegerOrItsText(text: String, status: Int) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 0..<2 { try await server.publish(.sample) }
            let body = try JSONNode(jsonData: Data(#"{"versionNumber":\#(text)}"#.utf8))
            let answer = try await server.administer("POST", Self.path + ":rollback", body: body)
            #expect(answer.status == status)
        }
    }

    @Test func aPreviewOfAnInvalidProjectNameIsRefused() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", "/v1/projects/a%20b/remoteConfig:preview",
                body: ["template": .sample, "users": []])
            #expect(answer.status == 400)
        }
    }
}
