import ActiveConfig
import ActiveConfigTesting
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ScriptedDownloaderTests {
    private struct Failure: Error {}

    @Test func theDownloaderAnswersOneAfterTheOther() async throws {
        let downloader = ScriptedDownloader(
            .configuration(.titled(["Home": "1"])), .unchanged, .failure(Failure()))
        #expect(
            try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
                == .titled(["Home": "1"]))
        #expect(try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil) == nil)
        await #expect(throws: Failure.self) {
            try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        }
    }

    @Test func theDownloaderSaysWhenTheScriptHasNoAnswer() async throws {
        let downloader = ScriptedDownloader()
        let error = await #expect(throws: ScriptedDownloader.NoAnswerError.self) {
            try await downloader.requestActiveConfig(forUserID: "1", lastKnown: nil)
        }
        #expect(error?.description == "The script has no answer for request 1, of user \"1\".")
    }

    @Test func theDownloaderRecordsEachRequest() async throws {
        let downloader = ScriptedDownloader { _ in .unchanged }
        _ = try await downloader.requestActiveConfig(forUserID: "1", lastKnown: nil)
        _ = try await downloader.requestActiveConfig(
            forUserID: nil, lastKnown: .make(entityTag: "\"a\""))
        #expect(downloader.requests.map(\.number) == [1, 2])
        #expect(downloader.requests.map(\.userID) == ["1", nil])
        #expect(downloader.requests.map(\.lastKnown?.entityTag) == [nil, "\"a\""])
    }

    @Test func theDownloaderAnswersHeldRequestsInTheOrderOfTheTest() async throws {
        let downloader = ScriptedDownloader { _ in .held }
        let first = Task {
            try await downloader.requestActiveConfig(forUserID: "1", lastKnown: nil)
        }
        try await downloader.waitForRequests(1)
        let second = Task {
            try await downloader.requestActiveConfig(forUserID: "2", lastKnown: nil)
        }
        try await downloader.waitForRequests(2)
        #expect(downloader.runningRequests.map(\.userID) == ["1", "2"])
        downloader.answer(2, with: .configuration(.titled(["Home": "2"])))
        #expect(try await second.value == .titled(["Home": "2"]))
        #expect(downloader.runningRequests.map(\.userID) == ["1"])
        downloader.answer(1, with: .held)
        downloader.answer(1, with: .unchanged)
        #expect(try await first.value == nil)
        #expect(downloader.runningRequests.isEmpty)
        #expect(downloader.peakRunningCount == 2)
    }

    @Test func theDownloaderAnswersLateOnItsClock() async throws {
        let downloader = ScriptedDownloader(.unchanged.after(.seconds(2)))
        let request = Task {
            try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        }
        try await downloader.clock.waitForSleepers(1)
        downloader.clock.advance(by: .seconds(1))
        #expect(downloader.runningRequests.count == 1)
        downloader.clock.advance(by: .seconds(1))
        #expect(try await request.value == nil)
    }

    @Test(arguments: [ScriptedDownloader.Answer.held, .unchanged.after(.seconds(1))])
    func aCancelledRequestEnds(answer: ScriptedDownloader.Answer) async throws {
        let downloader = ScriptedDownloader(answer)
        let request = Task {
            try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        }
        try await downloader.waitForRequests(1)
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(downloader.cancelledRequests == [1])
        try await downloader.waitForEndedRequests(1)
    }

    @Test func aRequestMayIgnoreThatItIsCancelled() async throws {
        let downloader = ScriptedDownloader(.held.ignoringCancellation)
        let request = Task {
            try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        }
        try await downloader.waitForRequests(1)
        request.cancel()
        try await downloader.waitForCancelledRequests(1)
        #expect(downloader.runningRequests.count == 1)
        downloader.answer(1, with: .configuration(.make()))
        #expect(try await request.value == .make())
    }
}
