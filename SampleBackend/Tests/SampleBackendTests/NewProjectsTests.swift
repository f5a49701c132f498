import ConfigServer
import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Projects that were just created through another server (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct NewProjectsTests {
    private static let context = #"{"context": {"targetingKey": "1"}}"#

    private static func publish(in project: String, at server: RunningServer) async throws {
        let template = AdministrationTarget.templateText(title: "new")
        let answer = try await server.publish(
            JSONNode(jsonData: Data(template.utf8)), project: project)
        #expect(answer.status == 200)
    }

    /// Responses of a server for a project: document, long poll, flags, acknowledgement, stream.
    private static func answers(
        about project: String, at server: RunningServer
    ) async throws -> [HTTPAnswer] {
        let prefix = "/projects/\(project)"
        return [
            try await server.answer("\(prefix)/activeconfig/user/1"),
            try await server.answer(
                "\(prefix)/activeconfig/user/1",
                fields: ["ActiveConfig-Template-Version: 1", "If-None-Match: \"a\""]),
            try await server.answer(
                "\(prefix)/ofrep/v1/evaluate/flags", method: "POST", body: context),
            try await server.answer(
                "\(prefix)/activeconfig/user/1/acknowledgement", method: "POST",
                body: #"{"template_version": 1}"#),
            try await server.answer("\(prefix)/activeconfig/user/1/events", method: "HEAD"),
        ]
    }

    /// A server that does not catch up within two seconds answers 503, after which a client asks
    /// again; no answer says that the project is missing.
    @Test func aNewProjectIsThereAtEveryServer() async throws {
        try await withTwoServers { one, other, _ in
            for number in 1...20 {
                let project = "new-\(number)"
                try await Self.publish(in: project, at: one)
                try await waitUntil {
                    if number.isMultiple(of: 2) {
                        return try await EventStreamClient.open(
                            port: other.port, "/projects/\(project)/activeconfig/events"
                        ) { stream in
                            if stream.head.hasPrefix("HTTP/1.1 503 ") { return false }
                            let event = try await stream.next()
                            #expect(event.name == "hello")
                            return true
                        }
                    }
                    let document = try await other.answer("/projects/\(project)/activeconfig")
                    if document.status == 503 { return false }
                    #expect(document.status == 200)
                    return true
                }
            }
        }
    }

    @Test func aServerThatIsBehindDoesNotSayThatAProjectIsMissing() async throws {
        try await withTwoServers { one, other, signal in
            signal(SIGSTOP)
            try await Self.publish(in: "new", at: one)
            for answer in try await Self.answers(about: "new", at: other) {
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] == "1")
            }
            signal(SIGCONT)
            try await waitUntil {
                try await Self.answers(about: "new", at: other).map(\.status)
                    == [200, 200, 200, 204, 200]
            }
            // The store is available again, but for moments in which the machine is busy, and does not
            // have the project.
            try await waitUntil {
                try await Self.answers(about: "unknown", at: other).allSatisfy { $0.status == 404 }
            }
        }
    }
}

/// Runs two servers on a cluster, the second one only on the last member, to which `body` can send
/// signals.
func withTwoServers(
    _ body:
        @Sendable (
            _ one: RunningServer, _ other: RunningServer, _ signal: @Sendable (Int32) -> Void
        ) async throws -> Void
) async throws {
    let cluster = try await EtcdCluster(members: 3)
    defer { cluster.end() }
    var location = cluster.location()
    location.members = Array(cluster.members[0...1])
    let first = try await EtcdTemplateStore(location)
    location.members = [cluster.members[2]]
    let second = try await EtcdTemplateStore(location)
    var options = ConfigServerOptions()
    options.acknowledgedShare = 1
    try await RunningServer.with(store: first, options: options) { [options] one in
        try await RunningServer.with(store: second, options: options) { other in
            try await body(one, other) { cluster.signal($0, to: 2) }
        }
    }
    await first.close()
    await second.close()
}
