import Crypto
public import Foundation
import JSONTree

/// What is known of a change request except for its templates: its author, its votes and comments.
///
/// A value that engines store as one text. The decisions that depend on it, such as whether its
/// content may be published, are functions of it.
public struct ChangeRequest: Sendable, Hashable, Codable {
    /// Someone who acts on a change request.
    public struct Participant: Sendable, Hashable, Codable {
        /// The owner of the token used; nil for a token of a program.
        public let person: String?

        /// The name of the token used.
        public let actor: String

        /// The person whose token created the one used; nil for a person's own, and when no person
        /// did.
        public let creator: String?

        /// The provider's identifier of a person who signed in, or of the one who created the token
        /// used; nil without one.
        ///
        /// It stays the same when the name changes.
        public let identity: String?

        /// Creates a participant.
        public init(
            person: String?, actor: String, creator: String? = nil, identity: String? = nil
        ) {
            self.person = person
            self.actor = actor
            self.creator = creator
            self.identity = identity
        }

        /// True for the same names, byte by byte.
        func hasSameBytes(as other: Participant) -> Bool {
            actor.utf8.elementsEqual(other.actor.utf8)
                && person.map { Data($0.utf8) } == other.person.map { Data($0.utf8) }
                && creator.map { Data($0.utf8) } == other.creator.map { Data($0.utf8) }
                && identity.map { Data($0.utf8) } == other.identity.map { Data($0.utf8) }
        }

        /// True for a person who uses the token, or has created it.
        func isUsed(by person: String, identity: String?) -> Bool {
            [self.person, creator].contains { ChangeRequest.areSame($0, person) }
                || ChangeRequest.areSame(self.identity, identity)
        }
    }

    /// What a reviewer says about a content; stores keep the raw value.
    public enum Verdict: String, Sendable, Hashable, Codable {
        case approve = "APPROVE"
        /// Prevents a publish until the same person approves.
        case requestChanges = "REQUEST_CHANGES"
    }

    /// The current vote of one person.
    public struct Vote: Sendable, Hashable, Codable {
        /// The owner of the token used, or the name of a person who signed in without a token.
        public let person: String

        /// The name of the token used.
        public let actor: String

        /// The person who signed in without a token; nil for the owner of a token.
        public let signIn: SignedInPerson?

        /// The provider's identifier of the voter, as in ``Participant``.
        public let identity: String?

        /// The verdict.
        public let verdict: Verdict

        /// The digest of the edit voted on.
        public let digest: String

        /// The times of the schedule that the voter has seen; nil when there was none, so that the
        /// vote is for any time.
        public let scheduledDates: [Date]?

        /// The plan of the rollout that the voter has seen; nil when there was none.
        public let rolloutPlan: Rollout.Plan?

        /// The version that was live when the vote was given.
        public let liveVersion: Int

        /// The reason; nil for none.
        public let comment: String?

        /// The time of the vote.
        public let date: Date

        /// Creates a vote.
        public init(
            person: String, actor: String, signIn: SignedInPerson? = nil, identity: String? = nil,
            verdict: Verdict, digest: String, scheduledDates: [Date]? = nil,
            rolloutPlan: Rollout.Plan? = nil, liveVersion: Int, comment: String? = nil, date: Date
        ) {
            self.person = person
            self.actor = actor
            self.signIn = signIn
            self.identity = signIn?.identity ?? identity
            self.verdict = verdict
            self.digest = digest
            self.scheduledDates = scheduledDates
            self.rolloutPlan = rolloutPlan
            self.liveVersion = liveVersion
            self.comment = comment
            self.date = date.roundedToMilliseconds
        }
    }

    /// A comment.
    public struct Comment: Sendable, Hashable, Codable {
        /// The author.
        public let author: Participant

        /// The text.
        public let text: String

        /// The setting or condition that the comment is about; nil for the whole request.
        public let path: String?

        /// The time of the comment.
        public let date: Date

        /// Creates a comment.
        public init(author: Participant, text: String, path: String? = nil, date: Date) {
            self.author = author
            self.text = text
            self.path = path
            self.date = date.roundedToMilliseconds
        }
    }

    /// The end of a request by a publish or a closure.
    public struct Ending: Sendable, Hashable, Codable {
        /// Who ended it.
        public let participant: Participant

        /// The version that was published; nil for a request that was closed.
        public let version: Int?

        /// The reason for which the approvals were bypassed; nil when they were not.
        public let bypassReason: String?

        /// The time of the end.
        public let date: Date

        /// Creates an ending.
        public init(
            participant: Participant, version: Int? = nil, bypassReason: String? = nil, date: Date
        ) {
            self.participant = participant
            self.version = version
            self.bypassReason = bypassReason
            self.date = date.roundedToMilliseconds
        }
    }

    /// The title.
    public var title: String

    /// The description; nil for none.
    public var text: String?

    /// Who made the request.
    public let author: Participant

    /// Who changed its content later, each once.
    public private(set) var editors: [Participant] = []

    /// The version on which the edit is based; 0 when nothing was published.
    public var baseVersion: Int

    /// The digest of the edit; stores set it with the templates.
    public internal(set) var contentDigest = ""

    /// The current vote of each person, in the order of the votes.
    public private(set) var votes: [Vote] = []

    /// The comments, oldest first.
    public private(set) var comments: [Comment] = []

    /// When the request is published by itself; nil when that was never planned.
    public var schedule: ScheduledPublish?

    /// The end of the request; nil while it is open, and when it expired.
    public var ending: Ending?

    /// The time of creation.
    public let creationDate: Date

    /// Creates a request without votes.
    public init(
        title: String, text: String? = nil, author: Participant, baseVersion: Int,
        creationDate: Date
    ) {
        self.title = title
        self.text = text
        self.author = author
        self.baseVersion = baseVersion
        self.creationDate = creationDate.roundedToMilliseconds
    }

    /// Records who changed the content.
    public mutating func addEditor(_ editor: Participant) {
        let isKnown = ([author] + editors).contains { $0.hasSameBytes(as: editor) }
        if !isKnown { editors.append(editor) }
    }

    /// Records a vote, which replaces the earlier one of the same person, whose comment stays while
    /// there is room: one person's votes must not keep others from voting.
    public mutating func add(_ vote: Vote) {
        let isReplaced = { (other: Vote) in
            Self.areSame(other.person, vote.person)
                || Self.areSame(other.identity, vote.identity)
        }
        for replaced in votes.filter(isReplaced) {
            guard let text = replaced.comment,
                record.count < TemplateStoreLimits.changeRequestBytes
            else { continue }
            let author = Participant(person: replaced.person, actor: replaced.actor)
            add(Comment(author: author, text: text, date: replaced.date))
        }
        votes.removeAll(where: isReplaced)
        votes.append(vote)
    }

    /// Adds a comment.
    public mutating func add(_ comment: Comment) { comments.append(comment) }
}

extension ChangeRequest {
    /// The digest of an edit on which people vote: the same template over another base changes
    /// something else.
    public static func digest(of contents: ChangeRequestContents) -> String {
        var hash = SHA256()
        for content in [contents.base, contents.edited] {
            hash.update(data: Data(SHA256.hash(data: content)))
        }
        return Array(hash.finalize()).hexadecimal
    }

    /// True when a person made the request or changed its content, also with a token that the
    /// person has created.
    ///
    /// - Parameters:
    ///   - person: The name of the person.
    ///   - identity: The provider's identifier of the person; nil when it is not known.
    /// - Returns: False for everybody else.
    public func isMade(by person: String, identity: String? = nil) -> Bool {
        ([author] + editors).contains { $0.isUsed(by: person, identity: identity) }
    }

    /// True when a vote was given for the current content, and for the times of a schedule that waits or
    /// was published.
    ///
    /// A vote that was given before anything was scheduled is for any start, and for no end and no
    /// rollout.
    public func isCurrent(_ vote: Vote) -> Bool {
        guard vote.digest == contentDigest else { return false }
        let schedule = schedule.flatMap { schedule in
            [nil, .published].contains(schedule.startOutcome?.kind) ? schedule : nil
        }
        guard let dates = vote.scheduledDates else {
            return schedule?.end == nil && schedule?.rollout == nil
        }
        return dates == schedule?.dates && vote.rolloutPlan == schedule?.rollout?.plan
    }

    /// True for two equal texts, byte by byte; false when one is missing.
    fileprivate static func areSame(_ first: String?, _ second: String?) -> Bool {
        guard let first, let second else { return false }
        return first.utf8.elementsEqual(second.utf8)
    }

    /// The request as engines store it.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.millisecondsSince1970)
        }
        // Texts and numbers can always be encoded; an empty record is read as damaged.
        return (try? encoder.encode(self)) ?? Data()
    }

    /// Reads a stored request.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `damaged`.
    package init(record: Data) throws(TemplateStoreError) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            Date(millisecondsSince1970: try decoder.singleValueContainer().decode(Int64.self))
        }
        do {
            self = try decoder.decode(Self.self, from: record)
        } catch {
            throw TemplateStoreError(
                .damaged, "A change request cannot be read: restore a backup.",
                underlyingError: error)
        }
    }
}
