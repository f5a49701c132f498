import ActiveConfig
internal import Foundation

/// A report to the server about a version of a user's document.
struct Acknowledgement: Sendable {
    enum Verdict: Sendable {
        case active
        /// Not used; the message has the reason and what is kept.
        case refused(String)
    }

    let userID: UserID
    let version: Int
    let entityTag: String?
    /// The share of clients that the server asks to report; nil when it did not say.
    let share: Double?
    let verdict: Verdict
    /// Nil for an event created for a test.
    let epoch: UserEpoch?

    /// True once the user was forgotten: nothing of it may be kept.
    var isForgotten: Bool { epoch?.isOver == true }

    /// True when both report the same about the same version.
    func isSame(as other: Acknowledgement) -> Bool {
        guard userID == other.userID, version == other.version else { return false }
        switch (verdict, other.verdict) {
        case (.active, .active), (.refused, .refused): return true
        default: return false
        }
    }
}

extension Acknowledgement {
    /// Nil for an event that is not reported to the server.
    init?(_ event: ConfigurationEvent) {
        guard let document = event.document, let version = document.templateVersion else {
            return nil
        }
        switch event.kind {
        case .active: verdict = .active
        case .refused(let refusal, let keptTemplateVersion):
            let kept =
                keptTemplateVersion.map { "version \($0) stays active." } ?? "no version is active."
            verdict = .refused("\(refusal.reason); \(kept)")
        default: return nil
        }
        userID = UserID(event.userID)
        self.version = version
        entityTag = document.entityTag
        epoch = event.epoch
        share = event.headerFields["activeconfig-acknowledge"]
            .flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
            .flatMap { (0...1).contains($0) ? $0 : nil }
    }
}

/// The state that a ``ConfigurationAcknowledger`` keeps across launches.
struct AcknowledgementRecord: Codable, Equatable, Sendable {
    struct User: Codable, Equatable, Sendable {
        /// SHA-256 of the user ID; nil is the generic user.
        let digest: String?
        var inForce: Int?
        var refused: Int?

        func hasTold(of outcome: Acknowledgement) -> Bool {
            switch outcome.verdict {
            case .active: inForce == outcome.version
            case .refused: refused == outcome.version
            }
        }

        mutating func note(_ outcome: Acknowledgement) {
            switch outcome.verdict {
            case .active: inForce = outcome.version
            case .refused: refused = outcome.version
            }
        }
    }

    /// Bounds the size of each write.
    private static let maximumUserCount = 1_000

    /// The share that the server last asked for.
    var share: Double?
    /// The last reported users, the newest last.
    var users: [User] = []

    func hasTold(of outcome: Acknowledgement) -> Bool {
        let digest = Self.digest(of: outcome.userID)
        return users.last { $0.digest == digest }?.hasTold(of: outcome) ?? false
    }

    mutating func note(_ outcome: Acknowledgement) {
        let digest = Self.digest(of: outcome.userID)
        let index = users.lastIndex { $0.digest == digest }
        var user =
            index.map { users.remove(at: $0) } ?? User(digest: digest, inForce: nil, refused: nil)
        user.note(outcome)
        users.append(user)
        users.removeFirst(max(users.count - Self.maximumUserCount, 0))
    }

    mutating func forget(_ userID: UserID) {
        let digest = Self.digest(of: userID)
        users.removeAll { $0.digest == digest }
    }

    private static func digest(of userID: UserID) -> String? {
        userID.string.map { SHA256.hexDigest(of: $0.utf8) }
    }
}
