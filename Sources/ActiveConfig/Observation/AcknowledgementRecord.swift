/// What a ``ConfigurationAcknowledger`` keeps across launches.
struct AcknowledgementRecord: Codable, Equatable, Sendable {
    struct User: Codable, Equatable, Sendable {
        /// SHA-256 of the user's ID; nil is the generic user.
        let digest: String?
        var inForce: Int?
        var refused: Int?

        func hasTold(of outcome: ConfigurationOutcome) -> Bool {
            switch outcome.verdict {
            case .active: inForce == outcome.version
            case .refused: refused == outcome.version
            }
        }

        mutating func note(_ outcome: ConfigurationOutcome) {
            switch outcome.verdict {
            case .active: inForce = outcome.version
            case .refused: refused = outcome.version
            }
        }
    }

    /// Bounds what each acknowledgement writes.
    private static let maximumUserCount = 1_000

    /// The share that the server asked for last.
    var share: Double?
    /// The users that were heard of last, the newest last.
    var users: [User] = []

    func hasTold(of outcome: ConfigurationOutcome) -> Bool {
        let digest = Self.digest(of: outcome.userID)
        return users.last { $0.digest == digest }?.hasTold(of: outcome) ?? false
    }

    mutating func note(_ outcome: ConfigurationOutcome) {
        let digest = Self.digest(of: outcome.userID)
        let index = users.lastIndex { $0.digest == digest }
        var user =
            index.map { users.remove(at: $0) } ?? User(digest: digest, inForce: nil, refused: nil)
        user.note(outcome)
        users.append(user)
        users.removeFirst(max(users.count - Self.maximumUserCount, 0))
    }

    func names(_ userID: UserID) -> Bool {
        let digest = Self.digest(of: userID)
        return users.contains { $0.digest == digest }
    }

    mutating func forget(_ userID: UserID) {
        let digest = Self.digest(of: userID)
        users.removeAll { $0.digest == digest }
    }

    private static func digest(of userID: UserID) -> String? {
        userID.string.map { SHA256.hexDigest(of: $0.utf8) }
    }
}
