extension ConfigurationActivation {
    func isSame(as other: ConfigurationActivation) -> Bool {
        guard UserID(userID) == UserID(other.userID), isWhole == other.isWhole else {
            return false
        }
        guard let document, let other = other.document else {
            return (document == nil) == (other.document == nil)
        }
        return document.isSame(as: other)
    }

    /// The document of a user's active configuration.
    ///
    /// - Parameters:
    ///   - known: The active configuration; nil before it is loaded.
    ///   - userID: The user.
    ///   - generic: The generic user's, which may supply the document.
    init(_ known: KnownConfiguration?, of userID: UserID, generic: KnownConfiguration?) {
        // Only its active sections are new.
        if let pending = known?.pending, pending.isPartlyActive {
            self.init(pending.configuration, userID: userID.string, isWhole: false)
            return
        }
        switch known?.source {
        case .downloaded?, .stored?: self.init(known?.configuration, userID: userID.string)
        case .genericUser?:
            self.init(
                generic.flatMap { $0.isOwn ? $0.configuration : nil }, userID: nil)
        default: self.init(nil, userID: userID.string)
        }
    }
}
