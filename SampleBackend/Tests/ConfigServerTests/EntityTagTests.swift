import InMemoryTemplateStore
import JSONTree
import NIOCore
import Rendering
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// `ETag` and `If-None-Match` (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EntityTagTests {
    @Test func theTagOfADocumentIsTheSameOnEveryServer() async throws {
        let tags = try await RunningServer.with { first in
            try await RunningServer.with { second in
                var tags: [String?] = []
                for server in [first, second] {
                    for target in ["/activeconfig/user/1", "/active_config?userID=1&x=y"] {
                        tags.append(try await server.answer(target).fields["etag"])
                    }
                }
                return tags
            }
        }
        let tag = try #require(tags[0])
        #expect(tag.hasPrefix("W/\"") && tag.hasSuffix("\"") && tag.count == 36)
        #expect(Set(tags).count == 1)
    }

    @Test func theTagsOfDifferentDocumentsDiffer() async throws {
        try await RunningServer.with { server in
            var tags: Set<String?> = []
            for userID in ["1", "2", "3", "a", "", "%20"] {
                tags.insert(try await server.answer("/activeconfig/user/\(userID)").fields["etag"])
            }
            #expect(tags.count == 6)
            #expect(!tags.contains(nil))
        }
    }

    /// Fields `If-None-Match` with the expected status; `TAG` stands for the document's quoted tag,
    /// without `W/`.
    static let conditions: [NamedRow<(fields: [String], status: Int)>] = [
        .init("the tag", (["TAG"], 304)),
        .init("weak", (["W/TAG"], 304)),
        .init("any", (["*"], 304)),
        .init("first of a list", (["TAG, \"other\""], 304)),
        .init("last of a list", (["\"other\",W/\"x\" ,\tW/TAG"], 304)),
        .init("after empty parts", ([", ,,TAG"], 304)),
        .init("after a tag with a comma", (["\"a,b\", TAG"], 304)),
        .init("in a second field", (["\"other\"", "TAG"], 304)),
        .init("after a part without quotation marks", (["nonsense, TAG"], 304)),
        .init("another", (["\"other\""], 200)),
        .init("inside another", (["\"xTAGx\""], 200)),
        .init("empty tag", (["\"\""], 200)),
        .init("empty", ([""], 200)),
        .init("an asterisk in quotation marks", (["\"*\""], 200)),
        .init("no closing quotation mark", (["\"other"], 200)),
        .init("lowercase weak", (["w/\"other\""], 200)),
        .init("only W/", (["W/"], 200)),
    ]

    @Test(arguments: conditions)
    func theServerComparesTheTagWithIfNoneMatch(
        row: NamedRow<(fields: [String], status: Int)>
    ) async throws {
        try await RunningServer.with { server in
            let target = "/activeconfig/user/3"
            let tag = try #require(try await server.answer(target).fields["etag"])
            let fields = row.value.fields.map {
                "If-None-Match: " + $0.replacing("TAG", with: tag.dropFirst(2))
            }
            for method in ["GET", "HEAD"] {
                let answer = try await server.answer(target, method: method, fields: fields)
                #expect(answer.status == row.value.status)
                #expect(answer.fields["etag"] == tag)
                #expect(answer.fields["cache-control"] == "private, no-cache")
                if answer.status == 304 {
                    #expect(answer.body.isEmpty)
                    #expect(answer.fields["content-length"] == nil)
                    #expect(answer.fields["transfer-encoding"] == nil)
                }
            }
        }
    }

    @Test func aConnectionStaysInStepAfterA304Answer() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/activeconfig", fields: ["If-None-Match: *"])
                connection.send(target: "/activeconfig/user/1")
                #expect(await connection.receiveStatus() == 304)
                #expect(await connection.receiveStatus() == 200)
            }
        }
    }

    @Test func aPublishThatLeavesADocumentAloneLeavesItsTagAlone() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            var tags: [String: String] = [:]
            for user in ["1", "3"] {
                let answer = try await server.answer("/activeconfig/user/\(user)")
                #expect(answer.fields["activeconfig-template-version"] == "1")
                tags[user] = answer.fields["etag"]
            }
            var template = JSONNode.sample
            template.setTitle(of: "third", to: "Others")
            try await server.publish(template)
            for method in ["GET", "HEAD"] {
                let same = try await server.answer(
                    "/activeconfig/user/1", method: method,
                    fields: ["If-None-Match: \(tags["1"] ?? "")"])
                #expect(same.status == 304)
                #expect(same.body.isEmpty)
                #expect(same.fields["etag"] == tags["1"])
                #expect(same.fields["activeconfig-template-version"] == "2")
                let whole = try await server.answer("/activeconfig/user/1", method: method)
                #expect(whole.status == 200)
                #expect(whole.fields["etag"] == tags["1"])
                #expect(whole.fields["activeconfig-template-version"] == "2")
            }
            let document = try await server.document("/activeconfig/user/1")
            #expect(document["meta"]?["template_version"] == 2)
            let other = try await server.answer(
                "/activeconfig/user/3", fields: ["If-None-Match: \(tags["3"] ?? "")"])
            #expect(other.status == 200)
            #expect(other.fields["activeconfig-template-version"] == "2")
            // Publishes the first content again.
            try await server.publish(.sample)
            let again = try await server.answer("/activeconfig/user/3")
            #expect(again.fields["etag"] == tags["3"])
        }
    }

    @Test func anExperimentIsContent() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var tags: Set<String> = []
            for share in [0, 100, 0] {
                try await server.publish([
                    "conditions": [
                        ["name": "half", "expression": .string("percent <= \(share)")]
                    ],
                    "parameters": ["a": ["defaultValue": ["value": "x"]]],
                ])
                let answer = try await server.answer("/activeconfig/user/1")
                tags.insert(try #require(answer.fields["etag"]))
            }
            #expect(tags.count == 2)
        }
    }

    @Test func anEmptyAnswerOfAnErrorNamesNoVersion() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for target in ["/activeconfig?signal.=1", "/projects/none/activeconfig"] {
                let answer = try await server.answer(target)
                #expect(answer.status >= 400)
                #expect(answer.fields["activeconfig-template-version"] == nil)
            }
        }
    }

    @Test func theTagIsTheHashOfTheBytes() {
        #expect(
            EntityTag(ofContent: ByteBuffer()).description
                == "\"e3b0c44298fc1c149afbf4c8996fb924\"")
    }
}
