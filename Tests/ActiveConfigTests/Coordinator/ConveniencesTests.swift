import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Everyday conveniences for app developers.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConveniencesTests {
    @Test func anErrorsLocalizedDescriptionIsItsSentence() {
        let errors: [any Error] = [
            DownloadError(.httpStatus, status: 503, url: URL(string: "https://a.example/x")),
            ConfigurationFormatError(.syntax, reason: "a comma is expected"),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }

    /// A fetch policy may wait longer than the server asks for.
    @Test(arguments: [
        (DownloadError.Code.httpStatus, "and asks to wait for 1 second."),
        (.throttled, "the next request may be made in 1 second."),
    ])
    func anErrorNamesTheSourceOfItsWait(code: DownloadError.Code, end: String) {
        let error = DownloadError(code, status: 429, retryAfter: .seconds(1))
        #expect("\(error)".hasSuffix(end))
    }

    @Test func aConfigurationWithoutADownloaderReadsItsBootstrap() async throws {
        let config = ActiveConfig(
            configStore: InMemoryStore(bootstrap: .state(.make())),
            listenerQueue: DispatchQueue(label: "test"),
            options: ActiveConfigOptions(log: .disabled))
        #expect(config["Home"]?.string(forKey: "title") == "Hello")
        await #expect(throws: DownloadError(.noDownloader)) {
            try await config.downloadNewConfig()
        }
    }

    @Test func aDownloadCanBeStartedFromAsynchronousCode() async throws {
        let downloader = ScriptedDownloader(.configuration(.make(sections: ["Home": ["a": 1]])))
        let config = ActiveConfig.make(downloader: downloader)
        var values = config.values(ofSection: "Home").makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        config.startDownload()
        #expect(await values.next()??.integer(forKey: "a") == 1)
    }

    @Test func aStoreLogsToTheLogOfItsConfiguration() throws {
        let messages = RecordingLog()
        let store = InMemoryStore(
            bootstrap: .jsonFile(URL(filePath: "/nowhere/bootstrap.json")))
        let config = ActiveConfig(
            configStore: store, listenerQueue: DispatchQueue(label: "test"),
            options: ActiveConfigOptions(log: messages.log))
        #expect(config["Home"] == nil)
        #expect(messages.messages.contains { $0.text.contains("/nowhere/bootstrap.json") })
    }

    /// As in a program that never runs its main queue.
    @Test func aListenerQueueThatDoesNotRunIsLogged() async throws {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let queue = DispatchQueue(label: "test")
        queue.suspend()
        let config = ActiveConfig(
            configDownloader: ScriptedDownloader(),
            configStore: InMemoryStore(bootstrap: .state(.make())),
            notificationCenter: NotificationCenter(), listenerQueue: queue,
            options: ActiveConfigOptions(log: ActiveConfigLog { text.yield($1) }),
            clock: ContinuousClock(), listenerQueuePatience: 0)
        let token = config.observe(sectionNamed: "Home") { _ in }
        var iterator = texts.makeAsyncIterator()
        #expect(await iterator.next()?.contains("listener queue") == true)
        queue.resume()
        token.cancel()
    }

    @Test func valuesAndConfigurationsHaveSubscripts() {
        let state = ConfigurationState.make(sections: ["Home": ["list": [["a": 1], 2]]])
        let list = state["Home"]?["list"]
        #expect(list?[0]?["a"] == 1 && list?[1] == 2)
        #expect(list?[2] == nil && list?[-1] == nil && list?["a"] == nil)
        #expect(list?[0]?[0] == nil && state["x"] == nil)
    }

    /// Includes the form without seconds (FORMAT 2.3).
    @Test(arguments: [
        ("2012-08-20T19:36Z", 1_345_491_360.0), ("2012-08-20T19:36:05Z", 1_345_491_365), ("x", nil),
    ])
    func theTimeOfCreationReadsAsADate(text: String, seconds: Double?) {
        let state = ConfigurationState(meta: ["creation_time": .string(text)], sections: [:])
        #expect(state.creationDate?.timeIntervalSince1970 == seconds)
    }
}
