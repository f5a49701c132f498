/// Members of ``meta`` set by a backend that implements <doc:Client-protocol>, section 1.
extension ConfigurationState {
    /// The version of the template that the document was rendered from, `template_version`; nil
    /// when absent or not a whole number.
    public var templateVersion: Int? {
        guard case .integer(let version)? = meta[MetaKey.templateVersion] else { return nil }
        return version
    }

    /// True for an answer without a document (304).
    package var isConfirmation: Bool {
        confirmedVersion != nil || original?.isConfirmation == true
    }

    /// This configuration in the version confirmed by an answer without a document (304).
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
        // Changing `meta` has removed it.
        new.original = answer.original.flatMap { original?.takingOver($0) }
        return new
    }

    /// The user's experiments, `experiments`: the name of each condition with a percentage, and
    /// whether the user is included.
    ///
    /// Members that are not booleans are left out.
    public var experiments: [String: Bool] {
        guard let members = meta[MetaKey.experiments]?.dictionaryValue else { return [:] }
        return members.compactMapValues { value in
            guard case .bool(let isIn) = value else { return nil }
            return isIn
        }
    }
}
