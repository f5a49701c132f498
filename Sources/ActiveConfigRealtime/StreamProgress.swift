import ActiveConfig

/// The progress of one stream.
struct StreamProgress {
    /// The document that the server assumes the client has.
    var base: DocumentRecord
    /// The version from which the server continues when the stream is resumed: that of the last
    /// event, or the one the stream was opened with.
    var resumeVersion: Int?
    /// The number of the last event sent for the user.
    var eventNumber = 0
    /// Number of changes that were applied.
    var pushCount = 0
    var hasGreeting = false
    var heardAt: Duration
    /// True while an event is processed and nothing is read.
    var isTaking = false
    var hasEvent = false
    /// True while the server may have a lower version than the client, whose document it then does not
    /// confirm.
    var isServerBehind = false
    /// When the server last confirmed the document.
    private var confirmedAt: Duration
    /// The last lower version that an event named, and the version held then.
    var lower: LowerVersion?
    /// Bytes and downloads since the start of the minute.
    var byteCount = 0
    var fetchCount = 0
    var minute = Duration.zero

    init(base: DocumentRecord, heardAt: Duration) {
        self.base = base
        resumeVersion = base.version
        (self.heardAt, confirmedAt) = (heardAt, heardAt)
    }

    /// Records a heartbeat, which follows all changes of the user's document so far.
    ///
    /// - Returns: The entity tag of the document that it confirms; nil if it confirms none, or one that
    ///   was confirmed within the last minute.
    mutating func noteHeartbeat(at now: Duration) -> String? {
        guard hasGreeting, !isServerBehind, now - confirmedAt >= .seconds(60) else { return nil }
        confirmedAt = now
        return base.entityTag
    }

    /// Records a version that an event names.
    ///
    /// - Returns: True when it is lower than the client's and was not noted for it before.
    mutating func noteNamed(_ version: Int?) -> Bool {
        guard let version, let held = base.version else { return false }
        isServerBehind = version < held
        guard isServerBehind else { return false }
        defer { lower = LowerVersion(named: version, held: held) }
        return lower != LowerVersion(named: version, held: held)
    }

    /// Records that the stream starts, or is resumed without the client's knowledge.
    mutating func noteGreeting() {
        // The server does not continue from a document fetched since.
        if hasGreeting, base.version != resumeVersion {
            base = DocumentRecord(version: resumeVersion, entityTag: nil)
        }
        (hasGreeting, eventNumber) = (true, 0)
    }

    /// Records a document fetched beside the stream.
    ///
    /// The server continues from what it has sent: if the document is newer and has other
    /// content, the next change does not follow it.
    mutating func noteFetched(_ record: DocumentRecord) {
        guard let resumeVersion else {
            base = record
            return
        }
        let isSent = record.version == resumeVersion || record.hasContent(of: base)
        base = DocumentRecord(
            version: resumeVersion, entityTag: isSent ? record.entityTag : nil)
    }

    /// Records an event, and returns whether it is the next one.
    mutating func place(of update: PushedUpdate) -> Place {
        guard let number = update.number else {
            resumeVersion = update.record.version
            return .next
        }
        guard number > eventNumber else { return .repeated }
        defer { (eventNumber, resumeVersion) = (number, update.record.version) }
        return number == eventNumber + 1 ? .next : .afterGap
    }

    /// A version that the server named although the client has a higher one.
    struct LowerVersion: Hashable {
        let named: Int
        let held: Int
    }

    /// The position of an event in a stream.
    enum Place {
        case next, repeated, afterGap
    }
}
