/// The failures of an updater's users, each of whose causes is reported once, however many attempts and
/// users meet it, until it has gone away.
final class UpdateFailures: Sendable {
    /// What failed.
    enum Step: Hashable {
        case document, longPoll, stream
    }

    /// What makes two failures the same for whoever reads the log.
    private struct Cause: Hashable {
        let step: Step
        let code: DownloadError.Code?
        let status: Int?
        /// Without digits, which may count down.
        let text: String

        init(_ error: any Error, at step: Step) {
            let download = UpdateFailures.downloadError(in: error)
            self.step = step
            code = download?.code
            status = download?.status
            text = (download.map { $0.serverMessage ?? "" } ?? "\(error)")
                .filter { !$0.isNumber }
        }
    }

    private struct State {
        var causes: [UserID: [Step: Cause]] = [:]
        /// Number of users with each cause.
        var counts: [Cause: Int] = [:]

        /// - Returns: True when the cause is nobody else's.
        mutating func set(_ new: Cause?, of userID: UserID, at step: Step) -> Bool {
            let old = causes[userID]?[step]
            if old == new { return false }
            causes[userID, default: [:]][step] = new
            if causes[userID]?.isEmpty == true { causes[userID] = nil }
            if let old, let count = counts[old] { counts[old] = count > 1 ? count - 1 : nil }
            guard let new else { return false }
            counts[new, default: 0] += 1
            return counts[new] == 1
        }
    }

    private let state = Locked(State())

    /// Notes a failure, and tells whether its cause is a new one.
    func isNew(_ error: any Error, of userID: UserID, at step: Step) -> Bool {
        let cause = Cause(error, at: step)
        return state.withLock { $0.set(cause, of: userID, at: step) }
    }

    /// Notes that a step works for a user.
    func noteSuccess(of userID: UserID, at step: Step) {
        state.withLock { _ = $0.set(nil, of: userID, at: step) }
    }

    /// Forgets a user who is followed no more.
    func forget(_ userID: UserID) {
        for step in [Step.document, .longPoll, .stream] { noteSuccess(of: userID, at: step) }
    }

    private static func downloadError(in error: any Error) -> DownloadError? {
        error as? DownloadError ?? (error as? RefusedAnswer)?.error
    }

    /// True for what networks do to connections now and then, which nobody can do anything about.
    static func isOfTheNetwork(_ error: any Error) -> Bool {
        if error is CancellationError { return true }
        let codes: [DownloadError.Code] = [.cannotConnect, .connectionLost, .timedOut]
        return downloadError(in: error).map { codes.contains($0.code) } ?? false
    }
}
