import ActiveConfig
import ActiveConfigRealtime
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// Clients with a version that the store never made, because it was brought back to an earlier
/// state (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UnknownVersionTests {
    private static let target = "/activeconfig/user/1"

    /// Makes the versions from 1, each with its number as the title.
    private func publish(_ count: Int, _ server: RunningServer) async throws {
        var template = JSONNode.sample
        for number in 1...count {
            template.setTitle(of: nil, to: "Title \(number)")
            try await server.publish(template)
        }
    }

    @Test func theWholeDocumentAnswersAnUnknownVersionAtOnce() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await publish(3, server)
            let current = try await server.answer(Self.target)
            let tag = try #require(current.fields["etag"])
            for wait in ["", "Prefer: wait=60"] {
                let answer = try await server.answer(
                    Self.target,
                    fields: ["If-None-Match: \(tag)", "ActiveConfig-Template-Version: 8"]
                        + (wait.isEmpty ? [] : [wait]))
                #expect(answer.status == 200)
                #expect(answer.fields["activeconfig-unknown-version"] == "8")
                #expect(answer.body == current.body)
            }
            let known = try await server.answer(
                Self.target, fields: ["If-None-Match: \(tag)", "ActiveConfig-Template-Version: 3"])
            #expect(known.status == 304)
            #expect(known.fields["activeconfig-unknown-version"] == nil)
        }
    }

    @Test func aStreamWithAnUnknownVersionIsCountedApart() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await publish(3, server)
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 8"]) { stream in
                #expect(try await stream.next().name == "reset")
                let counted = try await server.administer(
                    "GET", "/v1/projects/default/connections")
                #expect(try counted.json["unknown"] == 1)
                #expect(try counted.json["versions"] == [:])
                #expect(try counted.json["connections"] == 1)
            }
        }
    }

    /// An app at version 8 of a store that was lost: it takes the new store's version 3, then its
    /// next publish.
    @Test func anUpdaterFollowsAStoreThatWentBack() async throws {
        let store = InMemoryStore()
        @Sendable func client(_ server: RunningServer) throws -> (ActiveConfig, ActiveConfigUpdater)
        {
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
            let backend = ActiveConfigBackend(url: url)
            let config = ActiveConfig(
                configDownloader: JSONURLDownloader(backend: backend), configStore: store,
                listenerQueue: DispatchQueue(label: "listeners"),
                options: ActiveConfigOptions(log: .disabled))
            config.currentUserID = "1"
            return (config, ActiveConfigUpdater(config, backend: backend))
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await publish(8, server)
            let (config, _) = try client(server)
            try await config.downloadNewConfig()
            #expect(config.currentConfiguration.templateVersion == 8)
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await publish(3, server)
            let (config, updater) = try client(server)
            #expect(config.currentConfiguration.templateVersion == 8)
            updater.start()
            defer { updater.stop() }
            for await section in config.values(ofSection: "Home")
            where section?.string(forKey: "title") == "Title 3" { break }
            for await update in updater.updates {
                if case .state(.live, _) = update { break }
            }
            let counted = try await server.administer(
                "GET", "/v1/projects/default/connections")
            #expect(try counted.json["versions"] == ["3": 1])
            #expect(try counted.json["unknown"] == nil)
            var template = JSONNode.sample
            template.setTitle(of: nil, to: "KILL SWITCH")
            try await server.publish(template)
            for await section in config.values(ofSection: "Home")
            where section?.string(forKey: "title") == "KILL SWITCH" { break }
            #expect(config.currentConfiguration.templateVersion == 4)
            let (relaunched, _) = try client(server)
            #expect(relaunched.currentConfiguration.templateVersion == 4)
        }
    }
}
