import ConfigServer
import InMemoryTemplateStore
import JSONTree
import ServerTestSupport
import TemplateStore
import Testing

extension RunningServer {
    /// Runs a server with the sample template while `body` uses it.
    static func withSample(
        _ options: ConfigServerOptions = ConfigServerOptions(),
        store: any TemplateStore = InMemoryTemplateStore(),
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await with(store: store, options: options) { server in
            try await server.publish(.sample)
            try await body(server)
        }
    }

    /// The tag of a document.
    func tag(of target: String) async throws -> String {
        try #require(try await answer(target).fields["etag"])
    }

    func pollText(_ target: String, tag: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\nPrefer: wait=60\r\n\r\n"
    }

    /// Sends a long poll, and calls `body` once it waits.
    func poll(
        _ target: String, _ body: (HTTPConnection) async throws -> Void
    ) async throws {
        let tag = try await tag(of: target)
        let before = try await connections()["connections"]?.integerValue ?? 0
        try await HTTPConnection.open(port: port) { connection in
            connection.send(pollText(target, tag: tag))
            try await waitForConnections(before + 1)
            try await body(connection)
        }
    }
}

extension JSONNode {
    /// The sample template with another title, for a condition or by default.
    static func titled(_ title: String, of condition: String? = nil) -> JSONNode {
        var template = JSONNode.sample
        template.setTitle(of: condition, to: title)
        return template
    }
}
