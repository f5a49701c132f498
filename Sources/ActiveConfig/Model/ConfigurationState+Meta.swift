/// What SampleBackend, and whoever speaks its wire contract, says of a document in ``meta``.
extension ConfigurationState {
    /// The version of the template that the document was made from, `template_version`; nil when
    /// absent or not a whole number.
    public var templateVersion: Int? {
        guard case .integer(let version)? = meta[MetaKey.templateVersion] else { return nil }
        return version
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
