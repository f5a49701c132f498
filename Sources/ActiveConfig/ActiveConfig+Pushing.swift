/// Configurations that arrive without a download by the app, such as over a stream.
extension ActiveConfig {
    /// The action for an arrived change, given the user's own configuration.
    package enum PushDecision: Sendable {
        /// Store and activate the resulting configuration.
        case apply(ConfigurationState)
        /// Do nothing: the change is known or older, or a vetting ignores its document.
        case skip
        /// Fetch the document: the change does not follow the user's configuration.
        case fetch
    }

    /// The outcome of an arrived change.
    package enum PushOutcome: Sendable {
        case applied(ConfigurationState, DownloadResult)
        case skipped
        case needsFetch
        /// The task was cancelled before the change was decided on; nothing was done.
        case cancelled
    }

    /// Applies a change to a user's own configuration: stores it, and activates it for that user as
    /// far as the policy allows, current or not.
    ///
    /// `decide` is called once, serialized with all other storing for this user, and must not call
    /// the framework. It has to skip documents older than the given one; only documents stored by
    /// another process are compared here. User, document, entity tag and version belong together,
    /// even if the current user changes.
    ///
    /// A cancelled task drops the change unless it is being stored, so that a service ends without
    /// storing those of all its users; the next connection asks for the document.
    func push(
        to userID: UserID, _ decide: @escaping @Sendable (ConfigurationState?) -> PushDecision
    ) async -> PushOutcome {
        let entry = users.entry(of: userID, isKept: false)
        let outcome = try? await storeCalls.runUnlessCancelled(in: entry.writes) { [self] in
            turns.run(of: entry) { turn -> PushOutcome in
                let documents = documentsToDecideOn(in: turn)
                let held = storage.newest(of: userID, documents)
                let configuration: ConfigurationState
                switch decide(held) {
                case .skip: return .skipped
                case .fetch: return .needsFetch
                case .apply(let document): configuration = document
                }
                switch vettings.verdict(
                    onPushed: configuration, lastKnown: held, of: userID)
                {
                case .skip: return .skipped
                case .fetch: return .needsFetch
                case .apply(let document):
                    do throws(ConfigurationFormatError) {
                        try check(configuration)
                    } catch {
                        log(
                            .warning,
                            "A pushed change of \(userID.logName) cannot be used: \(error)")
                        return .needsFetch
                    }
                    // Within the turn, so that forgetting the user happens before or after.
                    let result = bring(
                        pushed: document, held: held,
                        headerFields: configuration.original?.headerFields ?? [:], on: documents,
                        in: turn)
                    guard let result else { return .skipped }
                    reportShape(of: configuration, since: held, of: userID)
                    history.notePush(
                        of: history.request(of: userID, configDownloader.requestDigest),
                        isActive: entry.documents.active?.pending == nil,
                        isStored: !entry.documents.hasUnstored)
                    return .applied(configuration, result)
                }
            }
        }
        if case .applied = outcome { signalChange(of: userID) }
        return outcome ?? .cancelled
    }

    /// Adopts the version of an answer without a document (304) that arrived without a download.
    ///
    /// Has no effect when the answer is about another document than the user's own, or is not
    /// trusted, or when the task is cancelled before.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - asked: The configuration that the request was about.
    ///   - userID: The user.
    func takeOver(
        _ answer: ConfigurationState, asked: ConfigurationState?, of userID: UserID
    ) async {
        guard answer.isConfirmation else { return }
        let entry = users.entry(of: userID, isKept: false)
        try? await storeCalls.runUnlessCancelled(in: entry.writes) { [self] in
            turns.run(of: entry) { turn in
                let documents = documentsToDecideOn(in: turn)
                let held = storage.newest(of: userID, documents)
                guard
                    let new = try? vettings.accepted(
                        answer: answer, asked: asked, lastKnown: held, of: userID,
                        in: entry.documents.epoch)
                else { return }
                _ = bring(
                    pushed: new, held: held,
                    headerFields: answer.original?.headerFields ?? [:], on: documents,
                    in: turn)
            }
            signalChange(of: userID)
        }
    }
}
