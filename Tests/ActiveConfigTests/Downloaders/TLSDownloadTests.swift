import ActiveConfig
import Foundation
import Testing

/// Downloads over TLS by a child process.
///
/// The process must not crash when a connection that was kept open for the next request is
/// abandoned.
@Suite(
    .serialized, .timeLimit(.minutes(Rounds.minutes)),
    .enabled(if: TLSServer.isAvailable, "requires openssl and Python's ssl module"),
    .disabled(if: Sanitizer.isOn))
struct TLSDownloadTests {
    @Test func theDownloaderTrustsNoUnknownCertificate() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let probe = try DownloadProbeProcess(["together", server.url, "16"])
        let result = await probe.finish()
        #expect(result.hasSurvived)
        #expect(result.outcomes["document"] == nil)
        #expect(result.outcomes.values.reduce(0, +) == 16)
    }

    @Test(.enabled(if: DownloadProbeProcess.canTrust, "mount namespaces are needed"))
    func theDownloaderSurvivesHundredsOfConnectionsThatAreKeptOpen() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let together = try await DownloadProbeProcess(
            ["together", server.url, "400"], trusting: server.certificate
        ).finish()
        #expect(together.hasSurvived)
        #expect(together.outcomes == ["document": 400])
        let cancelled = try await DownloadProbeProcess(
            ["cancel", server.url, "300"], trusting: server.certificate
        ).finish()
        #expect(cancelled.hasSurvived)
        #expect(cancelled.outcomes.values.reduce(0, +) == 300)
        #expect(cancelled.outcomes["cancelled"] ?? 0 > 0)
    }

    @Test func aProcessMayEndWhileItsDownloadsConnect() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        for _ in Rounds.numbers(10, nightly: 40) {
            let result = try await DownloadProbeProcess(["leave", server.url, "16"]).finish()
            #expect(result.end == "exit 0")
        }
    }

    @Test(.enabled(if: DownloadProbeProcess.canTrust, "mount namespaces are needed"))
    func theDownloaderStaysWithTLSWhenItIsRedirected() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let result = try await DownloadProbeProcess(
            ["together", "\(server.url)/insecure", "80"], trusting: server.certificate
        ).finish()
        #expect(result.hasSurvived)
        #expect(result.outcomes == ["redirectRefused": 80])
    }
}
