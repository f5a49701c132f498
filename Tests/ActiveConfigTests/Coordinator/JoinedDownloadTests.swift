import ActiveConfigTesting
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct JoinedDownloadTests {
    private struct Failure: Error {}

    private let download = JoinedDownload()
    private let result = DownloadResult(userID: "1", configurationIsCurrent: true)

    /// Starts the download with a request, and waits for the request's end.
    @discardableResult
    private func answer(
        _ request: @escaping @Sendable () async throws -> ConfigurationState?
    ) async throws -> ConfigurationState? {
        try await withCheckedThrowingContinuation { continuation in
            download.start {
                try download.limitTime(to: .seconds(1), by: ManualClock())
                return JoinedDownload.Exchange(
                    lastKnown: try await request(), revision: 0, answer: nil)
            } then: {
                continuation.resume(with: $0.map(\.lastKnown))
            }
        }
    }

    /// Starts the download with a request that runs until it is cancelled.
    private func request() -> Task<ConfigurationState?, any Error> {
        Task {
            try await answer {
                try await ManualClock().sleep(for: .seconds(1))
                return nil
            }
        }
    }

    @Test func allWhoJoinedGetTheOutcome() async throws {
        let tickets = try (0..<3).map { _ in try #require(download.join()) }
        download.finish(.success(result))
        for ticket in tickets { #expect(try await download.value(ticket) == result) }
    }

    @Test func whoJoinsTooLateGetsTheOutcomeToo() async throws {
        download.finish(.failure(Failure()))
        let ticket = try #require(download.join())
        await #expect(throws: Failure.self) { try await download.value(ticket) }
    }

    @Test func whoIsCancelledLeavesAtOnceAndTheOthersStay() async throws {
        let first = try #require(download.join())
        let second = try #require(download.join())
        let cancelled = Task { try await download.value(first) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(!download.isAbandoned)
        download.finish(.success(result))
        #expect(try await download.value(second) == result)
    }

    @Test func theDownloadIsCancelledWhenTheLastOneLeaves() async throws {
        let request = request()
        for ticket in try [#require(download.join()), #require(download.join())] {
            #expect(!download.isAbandoned)
            let caller = Task { try await download.value(ticket) }
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        #expect(download.isAbandoned)
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(download.join() == nil)
        #expect(!download.detach())
    }

    @Test func theDownloadMakesNoRequestAfterTheLastOneLeft() async throws {
        let ticket = try #require(download.join())
        let caller = Task { try await download.value(ticket) }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        await #expect(throws: CancellationError.self) {
            try await answer {
                Issue.record("a request is made")
                return nil
            }
        }
    }

    @Test func theDownloadGoesOnWhenACallerDoesNotWait() async throws {
        #expect(download.detach())
        let ticket = try #require(download.join())
        let caller = Task { try await download.value(ticket) }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(!download.isAbandoned)
        #expect(download.join() != nil)
    }

    @Test func theDownloadIsNotAbandonedOnceTheAnswerIsThere() async throws {
        let ticket = try #require(download.join())
        try await answer { nil }
        let caller = Task { try await download.value(ticket) }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(!download.isAbandoned)
        #expect(download.join() != nil)
    }

    @Test func theDownloadIsNotAbandonedOnceItHasEnded() async throws {
        let ticket = try #require(download.join())
        download.finish(.success(result))
        let caller = Task { try await download.value(ticket) }
        caller.cancel()
        _ = await caller.result
        #expect(!download.isAbandoned)
    }

    @Test func aCallerWhoLeavesDoesNotBringBackWhatWasAbandoned() async throws {
        let tickets = try (0..<2).map { _ in try #require(download.join()) }
        let callers = tickets.map { ticket in
            Task { [download] in try await download.value(ticket) }
        }
        download.markAbandoned()
        callers[0].cancel()
        await #expect(throws: CancellationError.self) { try await callers[0].value }
        #expect(download.isAbandoned)
        download.finish(.success(result))
        #expect(try await callers[1].value == result)
    }
}
