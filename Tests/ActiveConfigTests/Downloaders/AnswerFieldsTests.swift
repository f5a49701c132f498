import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Header fields of the wire contract beside the entity tag, over real connections.
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
            #expect(first.signedDocument?.body == Data(text.utf8))
            #expect(first.signedDocument?.signature == "first")
            #expect(first.signedDocument?.entityTag == "\"t\"")
            #expect(first.acknowledgementShare == 0.25)
            // The 304 has no bytes, and a signature of the ones that are known.
            let again = try #require(
                try await downloader.requestActiveConfig(
                    forUserID: nil, lastKnown: first.keptInMemory))
            #expect(again.signedDocument?.isConfirmation == true)
            #expect(again.signedDocument?.signature == "second")
            #expect(again.signedDocument?.digest == SHA256.hexDigest(of: text.utf8))
        }
    }

    @Test(arguments: ["2", "-1", "nan", "half", ""])
    func aShareThatIsNoneIsNoWish(share: String) async throws {
        let text = String(decoding: SigningServer.body(12), as: UTF8.self)
        try await answers { _ in
            LoopbackServer.response(headers: ["ActiveConfig-Acknowledge": share], body: text)
        } _: { downloader in
            let state = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
            #expect(state != nil)
            #expect(state?.acknowledgementShare == nil)
            #expect(state?.signedDocument == nil)
        }
    }
}
