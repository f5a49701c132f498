import ActiveConfig
import Foundation

/// The state that a ``CrashGuard`` keeps across launches.
struct LaunchRecord: Codable, Equatable, Sendable {
    /// A document, identified by its owner and its entity tag, which several versions can share, or
    /// without one by its version.
    struct Document: Codable, Hashable, Sendable {
        /// Nil is the generic user.
        let userID: String?
        let entityTag: String?
        let version: Int?
        /// Digest of the text of a document with neither.
        let digest: String?

        static func == (left: Document, right: Document) -> Bool {
            guard UserID(left.userID) == UserID(right.userID), left.entityTag == right.entityTag
            else { return false }
            return left.entityTag != nil
                || (left.version == right.version && left.digest == right.digest)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(UserID(userID))
            hasher.combine(entityTag)
        }
    }

    /// A run of a program whose document has not proved good yet.
    struct Session: Codable, Equatable, Sendable {
        let process: ProcessIdentity
        var document: Document
    }

    struct Count: Codable, Equatable, Sendable {
        var document: Document
        var crashCount: Int
        /// The digest of a signed document's bytes, for a request for another document.
        var contentDigest: String?
    }

    /// Of running programs, and of those that have crashed.
    var sessions: [Session] = []
    /// Documents after whose activation programs have crashed.
    var suspects: [Count] = []
    /// Documents that are refused, the newest last.
    var refused: [Count] = []
    /// Documents with a kept copy, one per user.
    var good: [Document] = []

    private static let maximumCount = 64

    /// Counts the sessions that have crashed.
    ///
    /// - Returns: The documents that are refused from now on.
    mutating func judge(
        crashLimit: Int, hasDied: (ProcessIdentity) -> ProcessIdentity.End?
    ) -> [Count] {
        var new: [Count] = []
        var running: [Session] = []
        for session in sessions {
            guard let end = hasDied(session.process) else {
                running.append(session)
                continue
            }
            guard end == .crashed, let count = count(session.document),
                count.crashCount >= crashLimit
            else { continue }
            suspects.removeAll { $0.document == session.document }
            if !refused.contains(where: { $0.document == session.document }) {
                refused.append(count)
                new.append(count)
            }
        }
        sessions = running
        trim()
        return new
    }

    private mutating func count(_ document: Document) -> Count? {
        if let index = suspects.firstIndex(where: { $0.document == document }) {
            // A damaged record can contain any number.
            suspects[index].crashCount = min(max(suspects[index].crashCount, 0), .max - 1) + 1
            return suspects[index]
        }
        suspects.append(Count(document: document, crashCount: 1))
        return suspects.last
    }

    /// Bounds the record's size against a server that sends ever new documents.
    private mutating func trim() {
        sessions.removeFirst(max(sessions.count - Self.maximumCount, 0))
        suspects.removeFirst(max(suspects.count - Self.maximumCount, 0))
        refused.removeFirst(max(refused.count - Self.maximumCount, 0))
    }

    /// Records a program's active document; nil for one that cannot be bad.
    mutating func begin(_ document: Document?, in process: ProcessIdentity) {
        sessions.removeAll { $0.process.token == process.token }
        if let document { sessions.append(Session(process: process, document: document)) }
        trim()
    }

    /// Records that a document has proved good.
    ///
    /// - Returns: The documents whose copies are no longer kept.
    mutating func confirm(_ document: Document, hasCopy: Bool) -> [Document] {
        suspects.removeAll { $0.document == document }
        guard hasCopy else { return [] }
        good.removeAll { UserID($0.userID) == UserID(document.userID) }
        good.append(document)
        let dropped = good.prefix(max(good.count - Self.maximumCount, 0))
        good.removeFirst(dropped.count)
        return Array(dropped)
    }

    /// True while a program's active document has to prove good.
    func isRunning(_ process: ProcessIdentity) -> Bool {
        sessions.contains { $0.process.token == process.token }
    }

    func refusal(of document: Document) -> Count? {
        refused.last { $0.document == document }
    }

    /// The user's newest refused document.
    func lastRefused(of userID: UserID) -> Count? {
        refused.last { UserID($0.document.userID) == userID }
    }

    func names(_ userID: UserID, in process: ProcessIdentity) -> Bool {
        (suspects + refused).contains { UserID($0.document.userID) == userID }
            || good.contains { UserID($0.userID) == userID }
            || sessions.contains {
                UserID($0.document.userID) == userID && $0.process.token == process.token
            }
    }

    mutating func forget(_ userID: UserID, in process: ProcessIdentity) {
        suspects.removeAll { UserID($0.document.userID) == userID }
        refused.removeAll { UserID($0.document.userID) == userID }
        good.removeAll { UserID($0.userID) == userID }
        sessions.removeAll {
            UserID($0.document.userID) == userID
                && $0.process.token == process.token
        }
    }
}

extension LaunchRecord.Document {
    init(_ configuration: ConfigurationState, of userID: UserID) {
        self.userID = userID.string
        entityTag = configuration.entityTag
        version = configuration.templateVersion
        digest =
            entityTag == nil && version == nil
            ? SHA256.hexDigest(of: configuration.jsonData()) : nil
    }
}
