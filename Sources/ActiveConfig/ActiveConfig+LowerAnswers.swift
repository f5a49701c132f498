extension ActiveConfig {
    /// Logs once that the server has a lower version than the user's, without having verified that
    /// the user's version does not exist.
    func noteLower(
        _ answer: ConfigurationState, than known: ConfigurationState?, of entry: UserEntry
    ) {
        guard let version = answer.templateVersion, let known = known?.templateVersion,
            entry.note(LowerAnswer(version: version, known: known))
        else { return }
        log(
            .warning,
            "The server has version \(version) of the configuration of \(entry.userID.logName), "
                + "lower than \(known) here: version \(known) stays. If the server was restored from "
                + "a backup, its next publish must have a higher version.")
    }

    /// The user's version that an arrived document replaces although its own version is lower, which
    /// is logged; nil for any other document.
    func replacedVersion(by document: ConfigurationState, of entry: UserEntry) -> Int? {
        guard document.replacedVersion != nil, let version = document.templateVersion,
            let known = entry.documents.newest?.templateVersion, version < known
        else { return nil }
        log(
            .warning,
            "The server has version \(version) of the configuration of \(entry.userID.logName), "
                + "lower than \(known) here, and has never made version \(known): took it.")
        return known
    }
}
