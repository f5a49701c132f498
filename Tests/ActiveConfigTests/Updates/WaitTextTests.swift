import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The error text of a download that has to wait.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WaitTextTests {
    /// An app's own downloader around one of the framework's.
    private struct OwnDownloader: ActiveConfigDownloader {
        let base: JSONURLDownloader

        func requestActiveConfig(
            forUserID userID: String?, lastKnown: ConfigurationState?
        ) async throws -> ConfigurationState? {
            try await base.requestActiveConfig(forUserID: userID, lastKnown: lastKnown)
        }
    }

    private enum Kind: CaseIterable {
        case backend, request, changingRequest, own

        /// The ways to end a wait other than `markStale()`.
        var ends: [String] {
            switch self {
            case .backend: ["tokensDidChange()", "another URL"]
            case .request: ["another URL"]
            case .changingRequest, .own: []
            }
        }

        func downloader(_ url: URL) -> any ActiveConfigDownloader {
            let backend = JSONURLDownloader(
                backend: ActiveConfigBackend(url: url, credentials: .apiKey("key")))
            let number = Locked(0)
            return switch self {
            case .backend: backend
            case .request: JSONURLDownloader { _ in URLRequest(url: url) }
            case .changingRequest:
                JSONURLDownloader { _ in
                    var request = URLRequest(url: url)
                    number.withLock { $0 += 1 }
                    request.setValue("\(number.withLock { $0 })", forHTTPHeaderField: "X-Number")
                    return request
                }
            case .own: OwnDownloader(base: backend)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    private func theErrorOfAWaitNamesWhatEndsItForItsDownloader(kind: Kind) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(403) }
        defer { server.stop() }
        var options = ActiveConfigOptions()
        options.fetchPolicy = .make(seed: 1)
        let config = ActiveConfig.make(
            downloader: kind.downloader(try server.url("/")), options: options)
        for _ in 0..<12 { _ = try? await config.downloadNewConfig() }
        let error = try await #require(throws: DownloadError.self) {
            try await config.downloadNewConfig()
        }
        #expect(error.code == .throttled)
        #expect(error.description.contains("markStale()"), "\(error)")
        for end in ["tokensDidChange()", "another URL"] {
            #expect(error.description.contains(end) == kind.ends.contains(end), "\(error)")
        }
    }

    @Test(arguments: [(300, "1 second;"), (1_000, "1 second;"), (1_001, "2 seconds;")])
    func aWaitIsNamedInSecondsThatAreRoundedUp(milliseconds: Int, text: String) {
        let duration = Duration.milliseconds(milliseconds)
        let throttled = DownloadError(.throttled, retryAfter: duration)
        #expect("\(throttled);".replacing(".;", with: ";").contains("in \(text)"), "\(throttled)")
        let asked = DownloadError(.httpStatus, status: 503, retryAfter: duration)
        #expect("\(asked);".replacing(".;", with: ";").contains("for \(text)"), "\(asked)")
    }
}
