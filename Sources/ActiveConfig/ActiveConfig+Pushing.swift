/// Configurations that arrive without a download of the app's, such as over a stream.
extension ActiveConfig {
    /// What is to happen with a change that arrived, given the user's own configuration.
    enum PushDecision: Sendable {
        /// The configuration that the change leads to.
        case apply(ConfigurationState)
        /// There is nothing to do: the change is known, or older.
        case skip
        /// The change does not follow on the configuration, which therefore has to be fetched.
        case fetch
    }

    /// The outcome of a change that arrived.
    enum PushOutcome: Sendable {
        case applied(ConfigurationState, DownloadResult)
        case skipped
        case needsFetch
    }

    /// Applies a change to a user's own configuration: stores it, and brings it in force if the user
    /// is the current one.
    ///
    /// `decide` is called once, serialized with everything else that is stored for this user, and
    /// calls nothing of the framework. User, document, entity tag and version are one record: that of
    /// the user whom the change is for, whoever is current.
    func push(
        to userID: UserID, _ decide: @escaping @Sendable (ConfigurationState?) -> PushDecision
    ) async -> PushOutcome {
        await storeCalls.run { [self] in
            storeWrites.sync(of: userID) {
                let held = ownConfiguration(of: userID)
                switch decide(held) {
                case .skip: return .skipped
                case .fetch: return .needsFetch
                // What is pushed is not signed.
                case .apply where options.signatures != nil: return .needsFetch
                case .apply(let configuration)
                where options.launchGuard?.refusal(of: configuration, userID: userID) != nil:
                    return .skipped
                case .apply(let configuration):
                    do throws(ConfigurationFormatError) {
                        try check(configuration)
                    } catch {
                        log(
                            .warning,
                            "A pushed change of \(userID.logName) cannot be used: \(error)")
                        return .needsFetch
                    }
                    reportShape(of: configuration, since: held, of: userID)
                    let former = formerConfiguration(of: userID, newest: held)
                    keep(configuration, lastKnown: held, of: userID)
                    let isInForce =
                        options.activation.isImmediate || pendingConfiguration(of: userID) == nil
                    history.notePush(
                        of: history.request(of: userID, configDownloader.requestDigest),
                        isInForce: isInForce)
                    guardLaunch(ofDownloaded: configuration, of: userID)
                    noteForDownloads(configuration, of: userID)
                    // Within the user's writes, so that forgetting the user comes before or after.
                    let result = bringInForce(
                        pushed: configuration, of: userID, after: former, isInForce: isInForce)
                    signalChange()
                    return .applied(configuration, result)
                }
            }
        }
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
        await storeCalls.run { [self] in
            storeWrites.sync(of: userID) {
                let held = ownConfiguration(of: userID)
                guard let new = try? trusted(answer, asked: asked, lastKnown: held, of: userID)
                else { return }
                let former = formerConfiguration(of: userID, newest: held)
                keep(new, lastKnown: held, of: userID)
                noteForDownloads(new, of: userID)
                let isInForce =
                    options.activation.isImmediate || pendingConfiguration(of: userID) == nil
                _ = bringInForce(
                    pushed: new, of: userID, after: former, isInForce: isInForce)
                signalChange()
            }
        }
    }

    /// Keeps an answer that is on its way from replacing a later document; see ``isOutdated(_:of:)``.
    func noteForDownloads(_ configuration: ConfigurationState, of userID: UserID) {
        state.withLock { state in
            // A download that begins later asks about this document.
            guard state.downloads[userID] != nil else { return }
            state.pushed[userID] = configuration.templateVersion.map {
                ($0, configuration.entityTag)
            }
        }
    }

    /// True when an answer is older than what was pushed while it was on its way.
    ///
    /// That nothing has changed is said of the configuration that the request was made with.
    func isOutdated(_ exchange: JoinedDownload.Exchange, of userID: UserID) -> Bool {
        guard let pushed = state.withLock({ $0.pushed[userID] }) else { return false }
        // A push is newer than the request, unless the request was made with its document.
        let known = exchange.lastKnown?.templateVersion ?? .min
        let isPushNewer =
            known < pushed.version
            || (known == pushed.version && exchange.lastKnown?.entityTag != pushed.entityTag)
        guard let answer = exchange.answer, exchange.outcome == .downloaded else {
            return isPushNewer
        }
        guard isPushNewer, let version = answer.templateVersion else { return false }
        // A later document of the same version, such as one with other pinned values, was pushed.
        let isEarlier = version == pushed.version && answer.entityTag != pushed.entityTag
        return version < pushed.version || isEarlier
    }
}
