import Foundation
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI

/// Queries of the other replicas, which many administrators start at the same time.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReplicaQuestionTests {
    /// While the store does not answer, only the first query waits: if all did, administrators
    /// would be locked out.
    @Test func onlyTheFirstQueryWaitsForAnUnresponsiveStore() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let asked = Locked(0)
        let question = ReplicaQuestion {
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            if number > 1 { for await _ in gate {} }
            return number == 1 ? nil : []
        }
        for _ in 0..<5 { #expect(await question.answer() == nil) }
        // The next query proceeds meanwhile.
        try await waitUntil {
            _ = await question.answer()
            return asked.withLock { $0 } == 2
        }
        #expect(await question.answer() == nil)
        opening.finish()
        try await waitUntil { await question.answer() == [] }
    }

    @Test func thoseWhoAskMeanwhileShareTheAnswer() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let asked = Locked(0)
        let entered = Locked(0)
        let question = ReplicaQuestion {
            asked.withLock { $0 += 1 }
            for await _ in gate {}
            return []
        }
        await withTaskGroup(of: ReplicaQuestion.Answer.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    entered.withLock { $0 += 1 }
                    return await question.answer()
                }
            }
            group.addTask {
                try? await waitUntil { entered.withLock { $0 } == 40 }
                opening.finish()
                return []
            }
            for await answer in group { #expect(answer == []) }
        }
        #expect(asked.withLock { $0 } < 20)
    }
}
