/// Members of ``meta`` that a backend sets which speaks <doc:Client-protocol>, section 1.
extension ConfigurationState {
    /// The version of the template that the document was made from, `template_version`; nil when
    /// absent or not a whole number.
    public var templateVersion: Int? {
        guard case .integer(let version)? = meta[MetaKey.templateVersion] else { return nil }
        return version
    }

    /// True for what an answer without a document (304) says of a configuration.
    package var isConfirmation: Bool {
        confirmedVersion != nil || original?.isConfirmation == true
    }

    /// This configuration with the version that an answer without a document (304) has confirmed it for.
    ///
    /// - Parameters:
    ///   - version: The version; nil when the answer named none.
    ///   - answer: The answer.
    ///   - asked: The configuration that the request was about.
    /// - Returns: The configuration; nil when the version is not later, or the request was about another
    ///   configuration.
    func takingOver(
        _ version: Int?, of answer: ConfigurationState, asked: ConfigurationState?
    ) -> ConfigurationState? {
        guard let version, let known = templateVersion, version > known, let entityTag,
            asked?.entityTag == entityTag
        else { return nil }
        var new = self
        new.meta[MetaKey.templateVersion] = .integer(version)
        // The change of `meta` has removed it.
        new.original = answer.original.flatMap { original?.takingOver($0) }
        return new
    }

    /// The experiments of the user, `experiments`: the name of each condition that takes a share of the
    /// users, and whether the user is among them.
    ///
    /// Members that are no booleans are left out.
    public var experiments: [String: Bool] {
        guard let members = meta[MetaKey.experiments]?.dictionaryValue else { return [:] }
        return members.compactMapValues { value in
            guard case .bool(let isIn) = value else { return nil }
            return isIn
        }
    }
}
