import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// `/health` (HTTP 5).
@Suite(.timeLimit(.minutes(5)))
struct HealthRoutesTests {
    @Test func isLiveAndReady() async throws {
        try await RunningServer.with { server in
            #expect(await server.status("/health/live") == 200)
            #expect(await server.status("/health/ready") == 200)
        }
    }

    @Test func isLiveButNotReadyWhileTheSourceDoesNotAnswer() async throws {
        try await RunningServer.with(source: FailingSource()) { server in
            #expect(await server.status("/health/live") == 200)
            let answer = try await server.answer("/health/ready")
            #expect(answer.status == 503)
            #expect(answer.error?.code == 503)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("Secret"))
        }
    }
}
