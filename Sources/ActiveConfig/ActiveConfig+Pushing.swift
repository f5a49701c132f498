/// Configurations that arrive without a download of the app's, such as over a stream.
extension ActiveConfig {
    /// What is to happen with a change that arrived, given the user's own configuration.
    package enum PushDecision: Sendable {
        /// The configuration that the change leads to.
        case apply(ConfigurationState)
        /// There is nothing to do: the change is known or older, or a vetting ignores its document.
        case skip
        /// The change does not follow on the configuration, which therefore has to be fetched.
        case fetch
    }

    /// The outcome of a change that arrived.
    package enum PushOutcome: Sendable {
        case applied(ConfigurationState, DownloadResult)
        case skipped
        case needsFetch
    }

    /// Applies a change to a user's own configuration: stores it, and activates it for that user as far as
    /// the policy has it, whoever is current.
    ///
    /// `decide` is called once, serialized with everything else that is stored for this user, and
    /// calls nothing of the framework. It has to skip what is older than the document it is given; here, only
    /// what another process has stored is compared. User, document, entity tag and version are one record: that of
    /// the user whom the change is for, whoever is current.
    func push(
        to userID: UserID, _ decide: @escaping @Sendable (ConfigurationState?) -> PushDecision
    ) async -> PushOutcome {
        let entry = users.entry(of: userID, isKept: false)
        let outcome = await storeCalls.run(in: entry.writes) { [self] in
            turns.run(of: userID) { () -> PushOutcome in
                let held = newestDocument(of: entry)
                var decision = decide(held)
                if case .apply(let document) = decision {
                    decision = self.decision(onPushed: document, lastKnown: held, of: userID)
                }
                switch decision {
                case .skip: return .skipped
                case .fetch: return .needsFetch
                case .apply(let configuration):
                    do throws(ConfigurationFormatError) {
                        try check(configuration)
                    } catch {
                        log(
                            .warning,
                            "A pushed change of \(userID.logName) cannot be used: \(error)")
                        return .needsFetch
                    }
                    // Within the turn, so that forgetting the user comes before or after.
                    var document = configuration
                    document.original = nil
                    guard keep(document, known: held, of: entry) else { return .skipped }
                    reportShape(of: configuration, since: held, of: userID)
                    let result = bring(
                        pushed: document,
                        headerFields: configuration.original?.headerFields ?? [:], to: entry)
                    history.notePush(
                        of: history.request(of: userID, configDownloader.requestDigest),
                        isActive: entry.documents.active?.pending == nil)
                    return .applied(configuration, result)
                }
            }
        }
        if case .applied = outcome {
            signalChange(of: userID)
            if userID == .generic, !fallsBackToGeneric {
                await storeCalls.run(in: fallbackReloads) { self.reloadOpaqueFallbacks() }
            }
        }
        return outcome
    }

    /// Takes over the version of an answer without a document (304) that came without a download.
    ///
    /// Nothing happens when the answer is about another document than the user's own, or cannot be
    /// trusted.
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
        await storeCalls.run(in: entry.writes) { [self] in
            turns.run(of: userID) {
                let held = newestDocument(of: entry)
                guard
                    let new = try? usable(
                        answer: answer, asked: asked, lastKnown: held, of: userID,
                        in: entry.documents.epoch)
                else { return }
                guard keep(new, known: held, of: entry) else { return }
                _ = bring(
                    pushed: new, headerFields: answer.original?.headerFields ?? [:], to: entry)
            }
            signalChange(of: userID)
        }
    }
}
