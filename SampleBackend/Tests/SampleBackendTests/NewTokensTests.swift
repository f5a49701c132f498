import ConfigServer
import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Tokens and console sessions that were just created through another server.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct NewTokensTests {
    private static let projects = "/v1/projects"
    private static let session = "/console/session"

    private static func makeToken(_ name: String, at server: RunningServer) async throws -> String {
        let answer = try await server.administer(
            "POST", "/v1/tokens", body: ["name": .string(name), "role": "viewer"])
        return try #require(try answer.json["token"]?.stringValue)
    }

    /// Starts a session, and returns the header field with its cookie.
    private static func signIn(with token: String, at server: RunningServer) async throws -> String
    {
        let answer = try await server.administer(
            "POST", session, body: ["token": .string(token)], token: nil)
        #expect(answer.status == 200)
        let cookie = answer.fields["set-cookie"]?.split(separator: ";").first ?? ""
        return "Cookie: \(cookie)"
    }

    @Test func theyAreKnownAtEveryServer() async throws {
        try await withTwoServers { one, other, _ in
            for number in 1...8 {
                let token = try await Self.makeToken("token \(number)", at: one)
                if number.isMultiple(of: 2) {
                    let answer = try await other.administer("GET", Self.projects, token: token)
                    #expect(answer.status == 200)
                    // As a new page of the console does.
                    let cookie = try await Self.signIn(with: token, at: one)
                    let shown = try await other.answer(Self.session, fields: [cookie])
                    #expect(shown.status == 200)
                } else {
                    let cookie = try await Self.signIn(with: token, at: other)
                    let read = try await one.answer(Self.projects, fields: [cookie])
                    #expect(read.status == 200)
                }
            }
            let unknown = try await other.administer("GET", Self.projects, token: "unknown")
            #expect(unknown.status == 401)
            #expect(try await other.answer(Self.projects).status == 401)
        }
    }

    @Test func aServerThatIsBehindDoesNotRefuseThem() async throws {
        try await withTwoServers { one, other, signal in
            signal(SIGSTOP)
            let token = try await Self.makeToken("new", at: one)
            let cookie = try await Self.signIn(with: token, at: one)
            let answers = [
                try await other.administer("GET", Self.projects, token: token),
                // As a service with many users does.
                try await other.administer(
                    "POST", "/activeconfig/events", body: ["users": []], token: token),
                try await other.answer(Self.projects, fields: [cookie]),
                try await other.answer(Self.session, fields: [cookie]),
                try await other.administer(
                    "POST", Self.session, body: ["token": .string(token)], token: nil),
            ]
            for answer in answers {
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] == "1")
            }
            signal(SIGCONT)
            try await waitUntil {
                try await other.administer("GET", Self.projects, token: token).status == 200
            }
            try await waitUntil {
                try await other.answer(Self.session, fields: [cookie]).status == 200
            }
        }
    }
}
