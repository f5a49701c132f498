import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing

@testable import AdminAPI
@testable import ConfigServer

/// Searches of the audit trail (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct AuditSearchTests {
    private static let path = "/v1/projects/default/audit"

    /// A store with a publish and pinned values of some users, at one time each.
    private static func makeStore(users: Int = 0) async throws -> InMemoryTemplateStore {
        let store = InMemoryTemplateStore()
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: Data("{}".utf8), expectation: .any,
                date: Date(timeIntervalSince1970: 0), user: .init(name: "Ada"),
                description: "The first one"))
        for user in 0..<users {
            try await store.setOverrides(
                OverridesChange(
                    project: "default", userID: "\(user)",
                    content: Data(#"{"Home":{"title":"Grüße"}}"#.utf8),
                    date: Date(timeIntervalSince1970: Double(user) * 86_400), actor: "Support"))
        }
        return store
    }

    private static func subjects(_ page: JSONNode) -> [String] {
        (page["entries"]?.arrayValue ?? []).compactMap { $0["subject"]?.stringValue }
    }

    @Test(arguments: [
        ("", ["2", "1", "0", "1"]), ("text=home.title", ["2", "1", "0"]),
        ("text=GR%C3%9CSSE", []), ("text=gr%C3%BC%C3%9Fe%20support", ["2", "1", "0"]),
        ("text=set+overrides%202", ["2"]), ("text=first", ["1"]), ("actor=ADA", ["1"]),
        ("actor=supp&text=1", ["1"]), ("action=PUBLISH", ["1"]),
        ("text=pin+values", ["2", "1", "0"]),
        ("action=PUBLISH,SET_OVERRIDES&pageSize=2", ["2", "1"]), ("action=SIGN_IN", []),
        ("action=", ["2", "1", "0", "1"]), ("startTime=1970-01-02T00:00:00Z", ["2", "1"]),
        ("endTime=1970-01-02T00:00:00Z", ["0", "1"]),
        ("startTime=1970-01-02T00:00:00Z&endTime=1970-01-03T00:00:00Z", ["1"]),
    ])
    func aSearchFindsTheEntriesThatMeetAllOfIt(query: String, subjects: [String]) async throws {
        try await RunningServer.with(store: try await Self.makeStore(users: 3)) { server in
            let answer = try await server.administer(
                "GET", "\(Self.path)?\(query.replacing("+", with: "%20"))")
            #expect(answer.status == 200)
            #expect(Self.subjects(try answer.json) == subjects)
        }
    }

    @Test(arguments: [
        "action=SING_IN", "action=,", "action=PUBLISH,", "startTime=yesterday", "endTime=1",
        "text=" + String(repeating: "x", count: 201),
    ])
    func anInvalidSearchIsRefused(query: String) async throws {
        try await RunningServer.with(store: try await Self.makeStore()) { server in
            let answer = try await server.administer("GET", Self.path + "?" + query)
            #expect(answer.status == 400)
        }
    }

    @Test func everyActionHasAShownText() {
        let names = AuditEntry.Action.allCases.map(\.rawValue) + ["SIGN_IN", "SIGN_OUT"]
        #expect(Set(AuditSearch.shownActions.keys) == Set(names))
    }

    @Test func aSessionIsFoundByItsOwnAction() async throws {
        let store = try await Self.makeStore()
        try await store.addToken(
            StoredToken(
                id: "1", name: "ci", role: .viewer, hash: .sha256(of: "x"), creationDate: Date(),
                expirationDate: nil), actor: "test")
        try await RunningServer.with(store: store) { server in
            let begun = try await server.administer(
                "POST", "/console/session",
                body: ["token": .string(RunningServer.administratorToken)], token: nil)
            #expect(begun.status == 200)
            for (action, subject) in [
                ("SIGN_IN", "Console session of environment"), ("CREATE_TOKEN", "ci"),
            ] {
                let page = try await server.administer(
                    "GET", "\(Self.path)?action=\(action)"
                ).json
                #expect(Self.subjects(page) == [subject])
            }
            for query in [
                "text=sign+in&actor=admin+token", "text=sign+in+session+of+admin+token",
            ] {
                let page = try await server.administer(
                    "GET", "\(Self.path)?\(query.replacing("+", with: "%20"))"
                ).json
                #expect(Self.subjects(page) == ["Console session of environment"])
            }
        }
    }

    @Test func theSearchOfALongTrailGoesOnWithTheNextPage() async throws {
        let store = try await Self.makeStore(users: AuditRoutes.maximumSearched)
        try await RunningServer.with(store: store) { server in
            let first = try await server.administer("GET", Self.path + "?text=first").json
            #expect(Self.subjects(first) == [])
            let token = try #require(first["nextPageToken"]?.stringValue)
            let second = try await server.administer(
                "GET", "\(Self.path)?text=first&pageToken=\(token)"
            ).json
            #expect(Self.subjects(second) == ["1"])
            #expect(second["nextPageToken"] == nil)
        }
    }
}
