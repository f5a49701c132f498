import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Failures of the app's code, and documents that it refuses, say nothing about the server: nobody
/// waits.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct AppFailureTests {
    private struct NotSignedIn: Error {}

    /// A downloader of the app that uses another one.
    private struct Wrapping: ActiveConfigDownloader {
        let base: any ActiveConfigDownloader

        func requestActiveConfig(
            forUserID userID: String?, lastKnown: ConfigurationState?
        ) async throws -> ConfigurationState? {
            try await base.requestActiveConfig(forUserID: userID, lastKnown: lastKnown)
        }
    }

    private static func config(
        _ downloader: any ActiveConfigDownloader, vetting: [any ConfigurationVetting] = []
    ) -> ActiveConfig {
        .make(
            downloader: downloader,
            options: ActiveConfigOptions(fetchPolicy: .make(), vetting: vetting))
    }

    @Test(arguments: [false, true])
    func anErrorOfTheClosureThatCreatesRequestsStartsNoWait(isWrapped: Bool) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(503) }
        defer { server.stop() }
        let url = try server.url("/")
        let isSignedIn = Locked(false)
        let base = JSONURLDownloader(
            refresh: nil,
            createRequest: { _ in
                guard isSignedIn.withLock({ $0 }) else { throw NotSignedIn() }
                return URLRequest(url: url)
            })
        let config = Self.config(isWrapped ? Wrapping(base: base) : base)
        for _ in 1...2 {
            await #expect(throws: NotSignedIn.self) { try await config.downloadNewConfig() }
            #expect(config.status.throttledUntil == nil)
        }
        isSignedIn.withLock { $0 = true }
        await #expect(throws: DownloadError.self) { try await config.downloadNewConfig() }
        #expect(config.status.throttledUntil != nil, "the server has failed")
    }

    @Test(arguments: [false, true])
    func anErrorOfAnUpdatersClosureStartsNoWait(isOfService: Bool) async throws {
        let config = Self.config(ScriptedDownloader(.configuration(.titled(["Home": "1"]))))
        let url = try #require(URL(string: "http://server/base"))
        let source: any ActiveConfigEventSource =
            isOfService
            ? ServiceEventSource(
                backend: ActiveConfigBackend(url: url), serviceCredentials: .apiKey("key"),
                signals: { _ in throw NotSignedIn() })
            : URLSessionEventSource(
                documentRequest: { _ in throw NotSignedIn() }, streamRequest: { _ in nil })
        let updater = ActiveConfigUpdater.make(config, source: source, clock: ManualClock())
        let run = Task { await updater.run() }
        for await update in updater.updates {
            if case .state(.waiting, _) = update { break }
        }
        #expect(config.status.lastDownload?.outcome == .failed)
        #expect(config.status.throttledUntil == nil)
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
        run.cancel()
        await run.value
    }

    @Test func aDocumentThatIsRefusedForOneUserHoldsNobodyBack() async throws {
        let config = Self.config(
            ScriptedDownloader { request in
                .configuration(.titled(["Home": request.userID == "1" ? "Bad" : "Good"]))
            }, vetting: [VettingRule.withoutBad(isIgnored: false)])
        for _ in 1...2 {
            await #expect(throws: ConfigurationRefusal.self) {
                try await config.configuration(forUserID: "1").download()
            }
            #expect(config.status.throttledUntil == nil)
        }
        let other = config.configuration(forUserID: "2")
        #expect(try await other.download().outcome == .downloaded)
    }

    @Test func anAcceptedDocumentThatCannotBeUsedThrottles() async throws {
        let config = Self.config(
            ScriptedDownloader(.configuration(.make(sections: [:]))),
            vetting: [VettingRule.withoutBad(isIgnored: false)])
        await #expect(throws: ConfigurationFormatError.self) {
            try await config.downloadNewConfig()
        }
        #expect(config.status.throttledUntil != nil)
    }
}
