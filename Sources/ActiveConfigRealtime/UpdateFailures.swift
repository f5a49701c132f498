import ActiveConfig

/// Deduplicates failures of an updater's users: one report per cause until the step that failed works.
///
/// Only users with a running task have causes, so a download that ends late leaves none behind.
final class UpdateFailures: Sendable {
    /// A step of an update that can fail.
    enum Step: Hashable {
        case document, longPoll, stream
    }

    /// The identity of a failure: equal failures are logged once as a warning.
    private struct Cause: Hashable {
        let step: Step
        let code: DownloadError.Code?
        let status: Int?
        /// Without words that contain a digit, such as a request ID.
        let text: String

        init(_ error: any Error, at step: Step) {
            let download = error as? DownloadError
            self.step = step
            code = download?.code
            status = download?.status
            text = (download.map { $0.serverMessage ?? "" } ?? "\(error)")
                .split(whereSeparator: \.isWhitespace)
                .filter { !$0.contains(where: \.isNumber) }
                .joined(separator: " ")
        }
    }

    private struct User {
        var causes: [Step: Set<Cause>] = [:]
        /// Number of tasks; one that ends can overlap with the next.
        var taskCount = 0
    }

    private struct State {
        var users: [UserID: User] = [:]
        /// Number of users with each cause.
        var counts: [Cause: Int] = [:]

        /// - Returns: True when no user had this cause.
        mutating func add(_ cause: Cause, of userID: UserID) -> Bool {
            guard var causes = users[userID]?.causes[cause.step, default: []],
                causes.count < UpdateFailures.maximumCauseCount, causes.insert(cause).inserted
            else { return false }
            users[userID]?.causes[cause.step] = causes
            counts[cause, default: 0] += 1
            return counts[cause] == 1
        }

        mutating func removeCauses(of userID: UserID, at step: Step) {
            for cause in users[userID]?.causes.removeValue(forKey: step) ?? [] { remove(cause) }
        }

        mutating func end(_ userID: UserID) {
            guard var user = users[userID] else { return }
            user.taskCount -= 1
            users[userID] = user.taskCount > 0 ? user : nil
            if user.taskCount == 0 { for cause in user.causes.values.joined() { remove(cause) } }
        }

        private mutating func remove(_ cause: Cause) {
            if let count = counts[cause] { counts[cause] = count > 1 ? count - 1 : nil }
        }
    }

    /// Maximum number of causes per step and user; further ones are not reported.
    private static let maximumCauseCount = 16

    private let state = Locked(State())

    /// Records a failure.
    ///
    /// - Returns: True when its cause is new; false for a user without a task.
    func isNew(_ error: any Error, of userID: UserID, at step: Step) -> Bool {
        let cause = Cause(error, at: step)
        return state.withLock { $0.add(cause, of: userID) }
    }

    /// Records that a step works for a user.
    func noteSuccess(of userID: UserID, at step: Step) {
        state.withLock { $0.removeCauses(of: userID, at: step) }
    }

    /// Records the start of a user's task.
    func begin(_ userID: UserID) {
        state.withLock { $0.users[userID, default: User()].taskCount += 1 }
    }

    /// Removes the causes of a user whose last task ends.
    func end(_ userID: UserID) { state.withLock { $0.end(userID) } }

    /// Transport errors, which are expected occasionally and not reported.
    static func isTransportError(_ error: any Error) -> Bool {
        if error is CancellationError { return true }
        let codes: [DownloadError.Code] = [.cannotConnect, .connectionLost, .timedOut]
        return (error as? DownloadError).map { codes.contains($0.code) } ?? false
    }
}
