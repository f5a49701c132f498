/// What ends with a change of a user's documents, or without one: a download or a push.
struct Arrival: Sendable {
    /// Nil when there is none, or when a later one is known.
    var document: ConfigurationState?
    var outcome: DownloadOutcome
    /// Header fields of the answer.
    let headerFields: [String: String]
    /// Sections that have changed before, by a document that another process has stored.
    var reloadedNames: Set<String> = []
    /// The request; nil when none was made.
    var attempt: JoinedDownload.Attempt?
    /// The download that ends with it; nil for a push.
    var download: JoinedDownload?
    /// The user's higher version that the document replaces.
    var replacedVersion: Int?
    /// True for the installation's first download.
    var isFirst = false

    init(
        _ document: ConfigurationState?, outcome: DownloadOutcome, headerFields: [String: String]
    ) {
        self.document = document?.keptInMemory
        self.outcome = outcome
        self.headerFields = headerFields
    }

    /// The user's version that the document replaces although its own version is lower; nil for any
    /// other document.
    ///
    /// - Parameters:
    ///   - documents: The user's documents in memory.
    ///   - asked: The document asked about. Memory can have it as the choice of a store with an order of
    ///     its own, and not know yet that it is the user's own.
    /// - Returns: The version.
    func replacedVersion(in documents: UserDocuments, or asked: ConfigurationState?) -> Int? {
        guard document?.replacedVersion != nil, let version = document?.templateVersion,
            let known = (documents.newest ?? asked)?.templateVersion, version < known
        else { return nil }
        return known
    }

    /// Drops the document, as a later one is known.
    mutating func drop() {
        (document, replacedVersion) = (nil, nil)
        if attempt?.received != nil { outcome = .notModified }
    }

    /// True when it counts as a download of the installation.
    var isCounted: Bool { attempt != nil || download == nil }

    /// The events to post after the sections.
    func events(
        _ transition: UserTransition, of userID: UserID, _ first: FirstDownload
    ) -> [Delivery.Event] {
        let isCurrent = transition.isCurrent
        let meta = (document ?? (isCurrent ? transition.new?.configuration : nil))?.meta
        let isPending = isCurrent && transition.new?.known.pending != nil
        let update = Delivery.Event.downloadFinished(
            userID, meta: meta ?? [:], configurationIsCurrent: isCurrent && !isPending)
        guard first.finish(isFirst: isFirst, isCounted: isCounted) else { return [update] }
        return [.firstDownloadFinished(userID, meta: meta ?? [:]), update]
    }

    func result(_ transition: UserTransition, of userID: UserID) -> DownloadResult {
        let names = reloadedNames.union(transition.changes.map(\.sectionName))
        let isPending = transition.new?.known.pending != nil
        var result = DownloadResult(
            userID: userID.string,
            configurationIsCurrent: transition.isCurrent && !isPending, isActive: !isPending,
            changedSectionNames: transition.isCurrent ? names : [], outcome: outcome)
        result.userChanges = names
        result.replacedVersion = replacedVersion
        result.hasAskedServer = outcome != .withinInterval && attempt?.received == nil
        if document != nil, let new = transition.new {
            let changes = new.pending?.changes(since: new.sections) ?? []
            result.pendingSectionNames = Set(changes.map(\.sectionName))
        }
        return result
    }
}
