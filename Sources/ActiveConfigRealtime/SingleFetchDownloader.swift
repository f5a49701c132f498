import ActiveConfig

/// Fetches one document over an updater's connection.
final class SingleFetchDownloader: FailureDeduplicating {
    private struct State {
        var lastKnown: ConfigurationState?
        var answer: DocumentAnswer?
        var retryAfter: Duration?
        var isBehind = false
    }

    private let connection: any ActiveConfigEventConnection
    private let userID: UserID
    private let failures: UpdateFailures
    private let state = Locked(State())

    init(
        _ connection: any ActiveConfigEventConnection, of userID: UserID, _ failures: UpdateFailures
    ) {
        self.connection = connection
        self.userID = userID
        self.failures = failures
    }

    var lastKnown: ConfigurationState? { state.withLock { $0.lastKnown } }
    var answer: DocumentAnswer? { state.withLock { $0.answer } }
    var retryAfter: Duration? { state.withLock { $0.retryAfter } }

    /// True when the server has answered with a lower version than the user's, which stays.
    var isBehind: Bool { state.withLock { $0.isBehind } }

    /// The server's newest document, according to its answer; nil without an answer.
    var newest: ConfigurationState? {
        state.withLock { state in state.answer.flatMap { $0.configuration ?? state.lastKnown } }
    }

    func isNewFailure(_ error: any Error) -> Bool {
        failures.isNew(error, of: userID, at: .document)
    }

    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        state.withLock { $0.lastKnown = lastKnown }
        do {
            var answer = try await connection.document(lastKnown: lastKnown, wait: nil)
            let newest = answer.configuration
            var older: OlderAnswer?
            if let newest, lastKnown?.isLater(than: newest) == true {
                answer.configuration = nil
                older = OlderAnswer(configuration: newest)
            }
            state.withLock { [answer, older] state in
                (state.answer, state.isBehind) = (answer, older != nil)
            }
            if let older { throw older }
            return newest
        } catch let error as DownloadError {
            state.withLock { $0.retryAfter = error.retryAfter }
            throw error
        }
    }
}

/// The failure of a document's download, already reported by the download.
struct DocumentFailure: Error {
    let error: any Error
    /// The wait that the server requests.
    let retryAfter: Duration?
}
