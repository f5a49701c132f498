import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Rollbacks over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RollbackTests {
    private static let path = "/v1/projects/default/remoteConfig"

    /// Rolls a server back to version 1; `ifMatch` nil sends no `If-Match`.
    private static func rollBack(
        on server: RunningServer, ifMatch: String? = nil
    ) async throws -> HTTPAnswer {
        try await server.administer(
            "POST", path + ":rollback", body: ["versionNumber": "1"],
            fields: ifMatch.map { ["If-Match: \($0)"] } ?? [])
    }

    @Test func aRollbackIsRefusedWhenAnotherVersionIsCurrentThanItWasDecidedOn() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 0..<3 { try await server.publish(.sample) }
            let tags = [
                "etag-default-2", "\"etag-default-2\"", "etag-default-1", "etag-default-4",
                "etag-other-3", "nonsense",
            ]
            for tag in tags {
                let answer = try await Self.rollBack(on: server, ifMatch: tag)
                #expect(answer.status == 412, "\(tag)")
                #expect(answer.error?.status == "VERSION_MISMATCH", "\(tag)")
            }
            let current = try await server.administer("GET", Self.path)
            #expect(current.fields["etag"] == #""etag-default-3""#)
            let audit = try await server.administer("GET", "/v1/projects/default/audit").json
            let actions = audit["entries"]?.arrayValue?.compactMap { $0["action"]?.stringValue }
            #expect(actions == ["PUBLISH", "PUBLISH", "PUBLISH"])
        }
    }

    @Test(arguments: ["etag-default-2", "\"etag-default-2\"", "*", nil])
    func aRollbackIsDoneFromTheVersionItWasDecidedOn(ifMatch: String?) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 0..<2 { try await server.publish(.sample) }
            let answer = try await Self.rollBack(on: server, ifMatch: ifMatch)
            #expect(answer.status == 200)
            #expect(answer.fields["etag"] == #""etag-default-3""#)
            #expect(try answer.json["version"]?["updateType"] == "ROLLBACK")
            let audit = try await server.administer("GET", "/v1/projects/default/audit").json
            let newest = audit["entries"]?.arrayValue?.first
            #expect(newest?["action"] == "ROLLBACK")
            #expect(newest?["subject"] == "3")
            #expect(newest?["detail"] == "version 1 again")
        }
    }

    @Test func aRollbackHasItsReason() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 0..<2 { try await server.publish(.sample) }
            let answer = try await server.administer(
                "POST", Self.path + ":rollback",
                body: ["versionNumber": "1", "description": "too many errors"])
            #expect(answer.status == 200)
            #expect(try answer.json["version"]?["description"] == "too many errors")
            let audit = try await server.administer("GET", "/v1/projects/default/audit").json
            let newest = audit["entries"]?.arrayValue?.first
            #expect(newest?["detail"] == "version 1 again: too many errors")
        }
    }

    @Test(arguments: [5, .string(String(repeating: "x", count: 1_025)), []] as [JSONNode])
    func anInvalidReasonIsRefused(description: JSONNode) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 0..<2 { try await server.publish(.sample) }
            let answer = try await server.administer(
                "POST", Self.path + ":rollback",
                body: ["versionNumber": "1", "description": description])
            #expect(answer.status == 400)
        }
    }

    @Test func onlyOneOfTheConcurrentRollbacksAndPublishesOnAVersionSucceeds() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 0..<2 { try await server.publish(.sample) }
            for version in 2..<22 {
                let tag = "etag-default-\(version)"
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            number.isMultiple(of: 2)
                                ? try await Self.rollBack(on: server, ifMatch: tag).status
                                : try await server.publish(.sample, ifMatch: tag).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 7), "\(tag)")
            }
        }
    }

    static let requests: [NamedRow<(query: String, body: JSONNode?, status: Int)>] = [
        .init("in the query", ("?versionNumber=1", nil, 200)),
        .init("in the query, in snake case", ("?version_number=1", nil, 200)),
        .init("in the body, in snake case", ("", ["version_number": "1"], 200)),
        .init("in the query beside an empty object", ("?versionNumber=1", [:], 200)),
        .init("twice the same", ("?versionNumber=1", ["versionNumber": 1], 200)),
        .init("two different ones", ("?versionNumber=1", ["versionNumber": "2"], 400)),
        .init(
            "two different ones in the body", ("", ["versionNumber": 1, "version_number": 2], 400)),
        .init(
            "beside an unknown member", ("", ["versionNumber": 1, "validateOnly": true], 400)),
        .init("in a list", ("?versionNumber=1", [["versionNumber": 1]], 400)),
        .init("nowhere", ("", nil, 400)),
        .init("no number", ("?versionNumber=x", nil, 400)),
        .init("the number 0", ("?versionNumber=0", nil, 400)),
        .init("a version that is not kept", ("?versionNumber=9", nil, 404)),
    ]

    @Test(arguments: requests)
    func aRollbackNamesItsVersionInTheQueryOrInTheBody(
        row: NamedRow<(query: String, body: JSONNode?, status: Int)>
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 0..<2 { try await server.publish(.sample) }
            let answer = try await server.administer(
                "POST", Self.path + ":rollback" + row.value.query, body: row.value.body)
            #expect(answer.status == row.value.status)
            let versions = try await server.administer("GET", Self.path + ":listVersions").json
            let count = row.value.status == 200 ? 3 : 2
            #expect(versions["versions"]?.arrayValue?.count == count)
        }
    }
}
