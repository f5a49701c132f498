import Foundation
import HTTPServing
import HTTPTypes
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI

/// Waiting until a server has caught up with its store.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StoreProgressTests {
    /// For unknown names, all requests that arrive during a read share one further read of the
    /// store.
    @Test func thoseWhoComeDuringAReadShareTheNextOne() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let reads = Locked(0)
        let progress = StoreProgress { () throws(TemplateStoreError) in
            reads.withLock { $0 += 1 }
            for await _ in gate {}
            return StoreRevision(7)
        }
        progress.advance(to: StoreRevision(7))
        let first = progress.nextRead()
        try await waitUntil { reads.withLock { $0 } == 1 }
        let others = (0..<1_000).map { _ in progress.nextRead() }
        opening.finish()
        #expect(await first.value)
        for other in others { #expect(await other.value) }
        #expect(reads.withLock { $0 } == 2)
    }

    @Test func aReadWaitsForTheRevision() async throws {
        let reads = Locked(0)
        let progress = StoreProgress { () throws(TemplateStoreError) in
            reads.withLock { $0 += 1 }
            return StoreRevision(7)
        }
        progress.advance(to: StoreRevision(5))
        let error = await #expect(throws: RequestError.self) { try await progress.catchUp() }
        #expect(error?.httpStatus == .serviceUnavailable)
        #expect(error?.headerFields[.retryAfter] == "1")
        let read = progress.nextRead()
        progress.advance(to: StoreRevision(6))
        progress.advance(to: StoreRevision(7))
        #expect(await read.value)
        try await progress.catchUp()
        #expect(reads.withLock { $0 } == 3)
    }

    @Test func aFailingStoreIsNotAReasonToRefuseAName() async throws {
        let progress = StoreProgress { () throws(TemplateStoreError) in
            throw TemplateStoreError(.unavailable, "It is down.")
        }
        let error = await #expect(throws: RequestError.self) { try await progress.catchUp() }
        #expect(error?.httpStatus == .serviceUnavailable)
    }
}
