import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Header fields of the client protocol other than the entity tag, over real connections.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct AnswerFieldsTests {
    private func answers(
        _ answer: @escaping @Sendable (LoopbackServer.Request) -> [LoopbackServer.Step],
        _ body: (JSONURLDownloader) async throws -> Void
    ) async throws {
        let server = try LoopbackServer(answer)
        defer { server.stop() }
        let url = try server.url("/config")
        try await body(JSONURLDownloader { _ in URLRequest(url: url) })
    }

    @Test func aSignedAnswerKeepsItsExactBytes() async throws {
        let text = String(decoding: SigningServer.body(12), as: UTF8.self)
        try await answers { request in
            request.headers["if-none-match"] == nil
                ? LoopbackServer.response(
                    headers: [
                        "ETag": "\"t\"", "ActiveConfig-Signature": "first",
                        "ActiveConfig-Acknowledge": "0.25",
                    ], body: text)
                : LoopbackServer.response(
                    304, headers: ["ETag": "\"t\"", "ActiveConfig-Signature": "second"])
        } _: { downloader in
            let first = try #require(
                try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil))
            #expect(first.original?.body == Data(text.utf8))
            #expect(first.original?.signature == "first")
            #expect(first.original?.entityTag == "\"t\"")
            #expect(first.original?.headerField("ActiveConfig-Acknowledge") == "0.25")
            // The 304 has no body; its signature covers the bytes that are already known.
            let again = try #require(
                try await downloader.requestActiveConfig(
                    forUserID: nil, lastKnown: first.keptInMemory))
            #expect(again.original?.isConfirmation == true)
            #expect(again.original?.signature == "second")
            #expect(again.original?.digest == SHA256.hexDigest(of: text.utf8))
        }
    }
}
