import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// `/health` (API 5).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct HealthRoutesTests {
    @Test func theServerIsLiveAndReady() async throws {
        try await RunningServer.with { server in
            for target in ["/health/live", "/health/ready"] {
                let answer = try await server.answer(target)
                #expect(answer.status == 200)
                // A cached response would hide the state of the server.
                #expect(answer.fields["cache-control"] == "no-store")
            }
        }
    }

    @Test func aServerWithoutItsStoreIsDegradedAndServes() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            #expect(try await server.publish(.sample).status == 200)
            await store.close()
            let answer = try await server.answer("/health/ready")
            #expect(answer.status == 200)
            #expect(answer.fields["cache-control"] == "no-store")
            let body = try answer.json
            #expect(body["status"] == "degraded")
            #expect(body["reason"]?.stringValue?.contains("does not answer") == true)
            #expect(await server.status("/activeconfig/user/1") == 200)
            #expect(try await server.publish(.sample).status == 503)
        }
    }

    @Test func theServerIsLiveButNotReadyWhileTheSourceFails() async throws {
        try await RunningServer.with(source: FailingSource()) { server in
            #expect(await server.status("/health/live") == 200)
            let answer = try await server.answer("/health/ready")
            #expect(answer.status == 503)
            #expect(answer.error?.code == 503)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("Secret"))
        }
    }
}
