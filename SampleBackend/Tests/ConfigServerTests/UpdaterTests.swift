import ActiveConfig
import ActiveConfigRealtime
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// The framework's updater with the streams of this server.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterTests {
    /// A user whose configuration an updater keeps current.
    private struct Client {
        let config: ActiveConfig
        let updater: ActiveConfigUpdater
        let downloader: JSONURLDownloader

        init(
            port: Int, userID: String?, credentials: ClientCredentials = .none,
            signals: ClientSignals? = nil
        ) throws {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
            let backend = ActiveConfigBackend(
                url: url, credentials: credentials, signals: signals)
            downloader = JSONURLDownloader(backend: backend)
            config = ActiveConfig(
                configDownloader: downloader, configStore: InMemoryStore(),
                listenerQueue: DispatchQueue(label: "listeners"),
                options: ActiveConfigOptions(log: .disabled))
            config.currentUserID = userID
            updater = ActiveConfigUpdater(
                config, backend: backend)
        }

        /// Runs the updater while `body` runs.
        func run(_ body: () async throws -> Void) async throws {
            updater.start()
            defer { updater.stop() }
            try await body()
        }

        func waitForTitle(_ title: String) async throws {
            for await section in config.values(ofSection: "Home")
            where section?.string(forKey: "title") == title { return }
            throw CancellationError()
        }

        func waitUntilLive() async throws {
            for await update in updater.updates {
                if case .state(.live, _) = update { return }
            }
        }
    }

    @Test(arguments: ["1", "a/b é", nil])
    func pushedChangesLeadToTheServersDocument(userID: String?) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let client = try Client(port: server.port, userID: userID)
            try await client.run {
                try await client.waitUntilLive()
                var changed = JSONNode.sample
                for round in 1...10 {
                    changed.setTitle(of: nil, to: "Title \(round)")
                    try await server.publish(changed)
                    try await client.waitForTitle("Title \(round)")
                    let held = client.config.currentConfiguration
                    let fresh = try #require(
                        try await client.downloader.requestActiveConfig(
                            forUserID: userID, lastKnown: nil))
                    #expect(held == fresh)
                    #expect(held.entityTag == fresh.entityTag)
                    #expect(
                        try await client.downloader.requestActiveConfig(
                            forUserID: userID, lastKnown: held) == nil)
                }
            }
        }
    }

    @Test func aChangedSignalLeadsToAStreamWithIt() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let signals = ClientSignals(platform: { PlatformSignals() })
            let client = try Client(port: server.port, userID: "1", signals: signals)
            try await client.run {
                try await client.waitForTitle("Hello 1")
                try await client.waitUntilLive()
                try await signals.setCustomSignals(["city": "Tokyo"])
                try await client.waitForTitle("Konnichiwa")
                try await client.waitUntilLive()
                // The stream sends updates for the new signal.
                var changed = JSONNode.sample
                changed.setTitle(of: "tokyo", to: "Sayonara")
                try await server.publish(changed)
                try await client.waitForTitle("Sayonara")
                let fresh = try await client.downloader.requestActiveConfig(
                    forUserID: "1", lastKnown: client.config.currentConfiguration)
                #expect(fresh == nil)
            }
        }
    }

    @Test func tokensAreRefreshedAndReplaced() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [], userTokens: try await UserTokenVerifier(secret: Secret(UserToken.secret)))
        let (expired, good) = (
            try await UserToken.make("1", lifetime: -10), try await UserToken.make("1")
        )
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            let (asked, stream) = AsyncStream.makeStream(of: Bool.self)
            let credentials = ClientCredentials.userToken { request in
                let isRefresh = request.reason == .refused
                stream.yield(isRefresh)
                return isRefresh ? good : expired
            }
            let client = try Client(port: server.port, userID: "1", credentials: credentials)
            try await client.run {
                try await client.waitUntilLive()
                var changed = JSONNode.sample
                changed.setTitle(of: nil, to: "Pushed")
                try await server.publish(changed)
                try await client.waitForTitle("Pushed")
                // One request for the document and one for the stream, each with refreshed
                // credentials.
                var calls = asked.makeAsyncIterator()
                for expected in [false, true, false, true] {
                    #expect(await calls.next() == expected)
                }
                credentials.tokensDidChange()
                #expect(await calls.next() == false)
            }
        }
    }

    @Test func aRollbackIsFollowed() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var changed = JSONNode.sample
            changed.setTitle(of: nil, to: "First")
            try await server.publish(changed)
            changed.setTitle(of: nil, to: "Second")
            try await server.publish(changed)
            let client = try Client(port: server.port, userID: "1")
            try await client.run {
                try await client.waitForTitle("Second")
                try await client.waitUntilLive()
                let answer = try await server.administer(
                    "POST", "/v1/projects/default/remoteConfig:rollback",
                    body: ["versionNumber": "1"])
                #expect(answer.status == 200)
                try await client.waitForTitle("First")
            }
        }
    }
}
