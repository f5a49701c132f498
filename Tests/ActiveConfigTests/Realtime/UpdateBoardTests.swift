import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// States of users and their order.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdateBoardTests {
    private static let user = UserID("1")

    /// The last state in a mailbox.
    private func last(_ mailbox: UpdateMailbox) -> ActiveConfigUpdateState? {
        var last: ActiveConfigUpdateState?
        while let update = mailbox.take() {
            if case .state(let state, _) = update { last = state }
        }
        return last
    }

    @Test func aListenerEndsWithTheStateOfTheBoard() async {
        for round in 0..<20_000 {
            let board = UpdateBoard()
            let mailbox = board.makeMailbox()
            await withTaskGroup { group in
                for number in 1...2 {
                    group.addTask {
                        board.set(.polling(every: .seconds(number)), of: Self.user)
                    }
                }
            }
            let state = board.state(of: Self.user)
            guard last(mailbox) == state else {
                Issue.record("round \(round): the listener's state differs from \(state)")
                return
            }
        }
    }

    /// The caller that cancels the task sets the next state; the cancelled task sets none after it.
    @Test func aCancelledTaskDoesNotReplaceTheStateAfterIt() async {
        for round in 0..<20_000 {
            let board = UpdateBoard()
            let task = Task {
                board.set(.connecting, of: Self.user) { !Task.isCancelled }
                board.set(.polling(every: .seconds(1)), of: Self.user) { !Task.isCancelled }
            }
            task.cancel()
            board.set(.paused, of: Self.user)
            await task.value
            guard board.state(of: Self.user) == .paused else {
                Issue.record("round \(round): \(board.state(of: Self.user))")
                return
            }
        }
    }

    @Test func statesOfManyUsersArriveInOrder() {
        let board = UpdateBoard()
        let mailbox = board.makeMailbox()
        for number in 0..<1_000 { board.set(.connecting, of: UserID("\(number)")) }
        for number in 0..<1_000 {
            board.tell(
                AppliedUpdate(
                    userID: "\(number)", templateVersion: 1, changedSectionNames: ["\(number)"]),
                nil, of: UserID("\(number)"))
        }
        for number in 0..<1_000 {
            #expect(mailbox.take() == .state(.connecting, userID: "\(number)"))
            #expect(
                mailbox.take()
                    == .applied(
                        AppliedUpdate(
                            userID: "\(number)", templateVersion: 1,
                            changedSectionNames: ["\(number)"])))
        }
        #expect(mailbox.take() == nil)
    }

    /// A newer document replaces the pending one, and what is active is reported first.
    @Test func onlyTheNewestPendingUpdateIsDelivered() {
        let board = UpdateBoard()
        let mailbox = board.makeMailbox()
        func applied(_ version: Int) -> AppliedUpdate {
            AppliedUpdate(userID: "1", templateVersion: version, changedSectionNames: ["A"])
        }
        func pending(_ version: Int) -> PendingUpdate {
            PendingUpdate(userID: "1", templateVersion: version, sectionNames: ["B"])
        }
        board.tell(nil, pending(2), of: Self.user)
        board.tell(applied(3), pending(3), of: Self.user)
        board.set(.connecting, of: Self.user)
        #expect(mailbox.take() == .state(.connecting, userID: "1"))
        #expect(mailbox.take() == .applied(applied(3)))
        #expect(mailbox.take() == .pending(pending(3)))
        #expect(mailbox.take() == nil)
        board.tell(nil, pending(4), of: Self.user)
        board.tell(applied(5), nil, of: Self.user)
        #expect(mailbox.take() == .applied(applied(5)))
        #expect(mailbox.take() == nil)
    }
}
