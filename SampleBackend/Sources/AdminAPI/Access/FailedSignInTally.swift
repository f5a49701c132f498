import Foundation
package import HTTPServing
import NIOConcurrencyHelpers
package import TemplateStore

/// Combines failed attempts to sign in, so that attackers cannot flood the audit trail, which only
/// grows.
///
/// The first attempt has an entry of its own. While attempts continue, the pause until the next
/// entry doubles up to an hour; that entry counts the attempts since the previous one.
struct FailedSignInTally: Sendable {
    /// In seconds.
    static let minimumPause: TimeInterval = 30

    /// In seconds; twice as long without an entry resets the pause.
    static let maximumPause: TimeInterval = 3_600

    /// Attempts without an entry; nil when there are none.
    private var pending: FailedSignIns?

    /// The time of the last entry, and the pause after it.
    private var last: (date: Date, pause: TimeInterval)?

    mutating func add(from address: ClientAddress?, at date: Date) {
        var failed = pending ?? FailedSignIns(since: date)
        failed.add(from: address?.description, at: date)
        pending = failed
    }

    /// Returns and clears the attempts to record now; nil during the pause after an entry.
    ///
    /// `isLast` is true at shutdown, when no later call can record them.
    mutating func take(at date: Date, isLast: Bool = false) -> FailedSignIns? {
        guard let failed = pending else { return nil }
        var pause = Self.minimumPause
        if let last {
            let elapsed = date.timeIntervalSince(last.date)
            // A clock that was set back must not prevent entries.
            guard isLast || elapsed >= last.pause || elapsed < 0 else { return nil }
            if elapsed < 2 * Self.maximumPause { pause = min(last.pause * 2, Self.maximumPause) }
        }
        last = (date, pause)
        pending = nil
        return failed
    }

    /// Restores attempts that could not be stored; the next entry counts them.
    mutating func giveBack(_ failed: FailedSignIns) {
        guard let pending else {
            self.pending = failed
            return
        }
        self.pending = failed.merged(with: pending)
    }
}

extension AdministratorAccess {
    /// Counts a failed attempt to sign in to the console.
    package func countFailedSignIn(from address: ClientAddress?) {
        let date = now()
        state.withLockedValue { $0.failedSignIns.add(from: address, at: date) }
    }

    /// Stores the failed attempts to sign in, unless the last entry is too recent; after a failure,
    /// the next call retries.
    ///
    /// `isLast` is true at shutdown, when no later call can record them.
    package func recordFailedSignIns<Failure: Error>(
        isLast: Bool = false, _ store: (FailedSignIns) async throws(Failure) -> Void
    ) async throws(Failure) {
        let date = now()
        let failed = state.withLockedValue { $0.failedSignIns.take(at: date, isLast: isLast) }
        guard let failed else { return }
        do {
            try await store(failed)
        } catch {
            state.withLockedValue { $0.failedSignIns.giveBack(failed) }
            throw error
        }
    }
}
