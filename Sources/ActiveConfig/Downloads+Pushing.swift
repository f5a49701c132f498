/// Configurations that arrive without a download by the app, such as over a stream.
extension Downloads {
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
        to userID: UserID,
        _ decide: @escaping @Sendable (ConfigurationState?) -> ConfigurationFeed.Decision
    ) async -> ConfigurationFeed.Outcome {
        let entry = users.table.entry(of: userID, isKept: false)
        let outcome = try? await users.calls.runUnlessCancelled(in: entry.writes) { [self] in
            users.turns.run(of: entry) { turn -> ConfigurationFeed.Outcome in
                let documents = users.documentsToDecideOn(in: turn)
                let newest = users.storage.newest(of: userID, documents)
                let configuration: ConfigurationState
                switch decide(newest) {
                case .skip: return .skipped
                case .fetch: return .needsFetch
                case .apply(let document): configuration = document
                }
                switch vettings.verdict(
                    onPushed: configuration, lastKnown: newest, of: userID)
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
                    let result = process(
                        pushed: document, comparedWith: newest,
                        headerFields: configuration.original?.headerFields ?? [:], on: documents,
                        in: turn)
                    guard let result else { return .skipped }
                    users.reportShape(of: configuration, since: newest, of: userID)
                    history.notePush(
                        of: history.request(of: userID, downloader.requestDigest),
                        isActive: entry.documents.active?.pending == nil,
                        isStored: !entry.documents.hasUnstored)
                    return .applied(configuration, result)
                }
            }
        }
        if case .applied = outcome { front.signalChange(of: userID) }
        return outcome ?? .cancelled
    }

    /// Records that the server has confirmed a user's document by an answer without one (304) that
    /// arrived without a download, and adopts the version that it names.
    ///
    /// Has no effect when the answer is about another document than the user's own, or is not
    /// trusted, or when the task is cancelled before.
    ///
    /// - Parameters:
    ///   - answer: The answer; nil if it names nothing.
    ///   - asked: The configuration that the request was about.
    ///   - userID: The user.
    func confirm(
        by answer: ConfigurationState?, asked: ConfigurationState?, of userID: UserID
    ) async {
        if answer?.isConfirmation == false { return }
        let entry = users.table.entry(of: userID, isKept: false)
        try? await users.calls.runUnlessCancelled(in: entry.writes) { [self] in
            users.turns.run(of: entry) { turn in
                let documents = users.documentsToDecideOn(in: turn)
                let newest = users.storage.newest(of: userID, documents)
                let later: Vetted?
                do {
                    later = try vettings.accepted(
                        answer: answer, asked: asked, lastKnown: newest, of: userID,
                        in: entry.documents.epoch)
                } catch { return }
                if let later {
                    let result = process(
                        pushed: later, .notModified, comparedWith: newest,
                        headerFields: answer?.original?.headerFields ?? [:], on: documents,
                        in: turn)
                    if result == nil { return }
                } else {
                    guard let asked, let newest, asked.isSame(as: newest) else { return }
                    // Another process has stored it.
                    if documents.newest.map(asked.isSame) != true {
                        users.takeOverStored(in: turn, reason: .downloaded)
                    }
                    guard entry.documents.newest.map(asked.isSame) == true else { return }
                }
                noteConfirmation(of: entry)
            }
            front.signalChange(of: userID)
        }
    }

    /// Records that the server has confirmed a user's document without an answer to a request.
    ///
    /// Has no effect when the user's newest document in memory is another one, so that it reads no
    /// store: a stream confirms the documents of all its users.
    func confirmDocument(entityTag: String, of userID: UserID) async {
        let entry = users.table.entry(of: userID, isKept: false)
        guard entry.documents.newest?.entityTag == entityTag else { return }
        try? await users.calls.runUnlessCancelled(in: entry.writes) { [self] in
            // Within the turn, so that forgetting the user happens before or after.
            users.turns.run(of: entry) { _ in
                if entry.documents.newest?.entityTag == entityTag { noteConfirmation(of: entry) }
            }
            front.signalChange(of: userID)
        }
    }

    private func noteConfirmation(of entry: UserEntry) {
        history.noteConfirmation(
            of: history.request(of: entry.userID, downloader.requestDigest),
            isActive: entry.documents.active?.pending == nil,
            isStored: !entry.documents.hasUnstored)
    }
}
