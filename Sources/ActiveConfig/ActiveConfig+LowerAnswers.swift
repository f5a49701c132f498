extension ActiveConfig {
    /// Logs once that the server has a lower version than the user's, without having verified that
    /// the user's version does not exist.
    func noteLower(_ answer: ConfigurationState, than known: ConfigurationState?, of userID: UserID)
    {
        guard let version = answer.templateVersion, let known = known?.templateVersion else {
            return
        }
        let isNew = lowerAnswers.withLock { $0.note(version, than: known, of: userID) }
        guard isNew else { return }
        log(
            .warning,
            "The server has version \(version) of the configuration of \(userID.logName), lower than "
                + "\(known) here: version \(known) stays. If the server was restored from a backup, "
                + "its next publish must have a higher version.")
    }
}

/// The answers of lower versions than the users' that were logged.
///
/// A pure value.
struct LowerAnswers: Sendable {
    private struct Pair: Hashable {
        let answered: Int
        let known: Int
    }

    /// Users above the limit are logged once more.
    private static let maximumCount = 1_000

    private var newest: [UserID: Pair] = [:]

    /// - Returns: True when the user's last lower answer was another one.
    mutating func note(_ version: Int, than known: Int, of userID: UserID) -> Bool {
        if newest.count >= Self.maximumCount, newest[userID] == nil { newest = [:] }
        let pair = Pair(answered: version, known: known)
        return newest.updateValue(pair, forKey: userID) != pair
    }
}
