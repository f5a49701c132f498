import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Errors of an app's own code, in the log.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ErrorLogTests {
    private struct StoreFailure: Error, CustomStringConvertible {
        var description: String {
            "PUT https://admin:hush@store.example.com/records?token=hush#hush failed; "
                + String(repeating: "long ", count: 1_000)
        }
    }

    /// Store on a server that fails at everything but reading a configuration.
    private struct RemoteStore: ActiveConfigStore {
        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? { nil }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws { throw StoreFailure() }

        func recordFirstDownloadFinished() throws -> Bool { throw StoreFailure() }

        func record(_ record: StoreRecord) throws -> Data? { throw StoreFailure() }

        func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
            throw StoreFailure()
        }
    }

    @Test func theLogHasNoSecretsAndNoLongTextsOfAStoresErrors() async throws {
        let recorder = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(.titled(["Home": "1"]))),
            store: RemoteStore(), log: recorder.log)
        _ = try await config.downloadNewConfig()
        let messages = recorder.messages.map(\.text)
        for failed in [
            "That the first download succeeded could not be stored", "The record ",
            "The pending configuration ", "could not be stored and is lost",
        ] {
            let message = messages.first { $0.contains(failed) }
            #expect(message?.contains("https://store.example.com/records… failed;") == true)
        }
        #expect(!messages.contains { $0.contains("hush") || $0.utf8.count > 1_300 })
    }

    enum Failure: Error {
        case noAnswer
        case refused(token: String)
    }

    struct Unauthorized: Error {
        let token = "hush"
    }

    struct Localized: LocalizedError {
        let token = "hush"
        var errorDescription: String? { "The database is full." }
    }

    struct Text: Error, CustomStringConvertible {
        let description: String
    }

    @Test(arguments: [
        (Failure.noAnswer as any Error, "Failure.noAnswer"),
        (Failure.refused(token: "hush"), "Failure.refused"),
        (Unauthorized(), "Unauthorized"),
        (Localized(), "The database is full."),
        (Text(description: "a/b?"), "a/b?"),
        (Text(description: "/user/1?key=hush&a=b failed"), "/user/1… failed"),
        (Text(description: "What? No."), "What? No."),
        (Text(description: "{url=http://a@b:hush@c/?\u{301}hush, d}"), "{url=http://c/… d}"),
        (Text(description: "\"https://a#hush\", \"b\"\n"), #""https://a…", "b"\u{A}"#),
        (
            DownloadError(.httpStatus, status: 404, url: URL(string: "https://a/b?c=d")),
            "The server at https://a/b answered with status 404."
        ),
    ])
    func anErrorHasATextWithoutSecrets(error: any Error, text: String) {
        #expect(error.logDescription == text)
    }

    @Test func anErrorOfFoundationHasDomainAndCode() throws {
        let url = try #require(URL(string: "https://a/b?token=hush"))
        let text = URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url]).logDescription
        #expect(text.contains("(NSURLErrorDomain, code -1001)"))
        #expect(!text.contains("hush"))
    }
}
