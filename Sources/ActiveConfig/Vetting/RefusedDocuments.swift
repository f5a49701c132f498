/// The newest document that each user received in this launch, if a vetting does not accept it.
///
/// A pure value. An updater asks about the refused document instead of the user's own, so that the
/// server announces the next document and does not send this one again.
struct RefusedDocuments: Sendable {
    struct Refused: Sendable {
        /// Without its sections and the bytes of its original.
        fileprivate(set) var document: ConfigurationState
        let refusal: ConfigurationRefusal
        let isIgnored: Bool

        init(_ document: ConfigurationState, _ refusal: ConfigurationRefusal, isIgnored: Bool) {
            self.document = ConfigurationState(meta: document.meta, sections: [:])
            self.document.entityTag = document.entityTag
            self.document.original = document.original?.withoutBody
            self.refusal = refusal
            self.isIgnored = isIgnored
        }

        /// True for the same document of any version: an entity tag covers no version.
        func isOf(_ other: ConfigurationState) -> Bool {
            document.entityTag == other.entityTag
                && (other.entityTag != nil || document.templateVersion == other.templateVersion)
        }
    }

    /// Users above the limit download a refused document once more.
    private static let maximumCount = 10_000

    private var newest: [UserID: Refused] = [:]

    subscript(userID: UserID) -> Refused? { newest[userID] }

    /// Records a refused document; an older one comes from a lagging replica and is ignored.
    mutating func note(_ refused: Refused, of userID: UserID) {
        if newest[userID]?.document.isLater(than: refused.document) == true { return }
        newest[userID] = refused
        if newest.count > Self.maximumCount, let other = newest.keys.first(where: { $0 != userID })
        {
            newest[other] = nil
        }
    }

    /// Records a document that is accepted or confirmed.
    mutating func noteAccepted(_ document: ConfigurationState, of userID: UserID) {
        guard let refused = newest[userID], !refused.document.isLater(than: document) else {
            return
        }
        newest[userID] = nil
    }

    /// Records an answer without a document (304) to a request about the refused one.
    ///
    /// - Parameters:
    ///   - asked: The document that the request was about.
    ///   - version: The version that the answer confirms; nil when it names none.
    ///   - userID: The user.
    /// - Returns: The refused document; nil when the request was about another one.
    mutating func confirm(
        _ asked: ConfigurationState?, version: Int?, of userID: UserID
    ) -> Refused? {
        guard let asked, asked.entityTag != nil, let refused = newest[userID], refused.isOf(asked)
        else { return nil }
        if let version, version > refused.document.templateVersion ?? .max {
            let original = refused.document.original
            newest[userID]?.document.meta[ConfigurationState.MetaKey.templateVersion] =
                .integer(version)
            newest[userID]?.document.original = original
        }
        return newest[userID]
    }

    mutating func forget(_ userID: UserID) { newest[userID] = nil }

    /// The document to ask about: the user's last one, with the refused one's entity tag and
    /// version if that is newer.
    func requestBase(
        _ lastKnown: ConfigurationState?, of userID: UserID
    ) -> ConfigurationState? {
        guard let refused = newest[userID]?.document, refused.entityTag != nil,
            lastKnown?.isLater(than: refused) != true
        else { return lastKnown }
        var base = lastKnown ?? ConfigurationState(meta: [:], sections: [:])
        let versionKey = ConfigurationState.MetaKey.templateVersion
        base.meta[versionKey] = refused.meta[versionKey]
        (base.entityTag, base.original) = (refused.entityTag, refused.original)
        return base
    }
}
