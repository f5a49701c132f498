/// The last acknowledgements of some users of a project, for merging the counts of several
/// replicas.
///
/// Behind a load balancer a client may acknowledge one version at one replica and the next version
/// at another. All replicas sample the users with the lowest hashes, so the samples show how many
/// of the users counted at one replica have moved to another.
package struct AcknowledgementSample: Sendable, Hashable, Codable {
    /// The last acknowledgement of a user at one replica; version 0 means none.
    struct Word: Sendable, Hashable {
        /// A hash of the user's ID.
        let user: UInt64
        let inForce: Int
        let withProblems: Int
        /// Seconds since 1970.
        let time: Int
    }

    /// Sorted by the users' hashes.
    let words: [Word]

    /// The sample contains all users with hashes up to this one.
    let lastUser: UInt64

    package var count: Int { words.count }
}

extension AcknowledgementSample.Word: Codable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        user = try container.decode(UInt64.self)
        inForce = try container.decode(Int.self)
        withProblems = try container.decode(Int.self)
        time = try container.decode(Int.self)
    }

    /// Encodes an array, which is shorter than an object.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(user)
        for number in [inForce, withProblems, time] { try container.encode(number) }
    }
}

/// The acknowledgements of a project at one replica.
package struct ReplicaAcknowledgements: Sendable {
    package let counts: AcknowledgementCounts

    /// Nil when the replica has no sample.
    let sample: AcknowledgementSample?

    /// The problems at watched places; of a replica that does not announce them, the most frequent ones.
    package let problems: WatchedProblems

    package init(
        _ counts: AcknowledgementCounts, _ sample: AcknowledgementSample?,
        problems: WatchedProblems? = nil
    ) {
        self.counts = counts
        self.sample = sample
        self.problems = problems ?? WatchedProblems(withoutUsersIn: counts)
    }
}

extension AcknowledgementCounts {
    /// Merges the counts of replicas; a user of several replicas counts with the last
    /// acknowledgement.
    ///
    /// The result is exact when the samples contain all users, and otherwise an estimate.
    package init(ofReplicas replicas: [ReplicaAcknowledgements]) {
        self.init()
        let words = LastWords(replicas.map(\.sample))
        for (index, replica) in replicas.enumerated() {
            add(words.corrected(replica.counts, of: index, by: replica.sample))
        }
    }
}

/// The last acknowledgements of those users whom all samples cover.
private struct LastWords {
    /// The last acknowledgement of a user, and its replica.
    private struct Statement {
        var version = 0
        var time = 0
        var replica = 0

        mutating func replace(version: Int, time: Int, replica: Int) {
            guard (version, time) > (self.version, self.time) else { return }
            self = Statement(version: version, time: time, replica: replica)
        }
    }

    /// The share of a replica's users that count there and not at another replica.
    private struct Share {
        var all = 0
        var kept = 0

        mutating func count(isKept: Bool) {
            all += 1
            if isKept { kept += 1 }
        }

        func of(_ count: Int) -> Int {
            all == 0 ? count : Int((Double(count) * Double(kept) / Double(all)).rounded())
        }
    }

    private var inForce: [UInt64: Statement] = [:]
    private var withProblems: [UInt64: Statement] = [:]
    private let lastUser: UInt64

    init(_ samples: [AcknowledgementSample?]) {
        lastUser = samples.compactMap { $0?.lastUser }.min() ?? 0
        for (index, sample) in samples.enumerated() {
            for word in sample?.words ?? [] where word.user <= lastUser {
                inForce[word.user, default: Statement()]
                    .replace(version: word.inForce, time: word.time, replica: index)
                withProblems[word.user, default: Statement()]
                    .replace(version: word.withProblems, time: word.time, replica: index)
            }
        }
    }

    /// The counts of a replica without the users whose last acknowledgement is at another replica.
    func corrected(
        _ counts: AcknowledgementCounts, of replica: Int, by sample: AcknowledgementSample?
    ) -> AcknowledgementCounts {
        var users = Share()
        var usable: [Int: Share] = [:]
        var unusable: [Int: Share] = [:]
        for word in sample?.words ?? [] where word.user <= lastUser {
            guard let inForce = inForce[word.user], let withProblems = withProblems[word.user]
            else { continue }
            // A later acknowledgement at another replica reports that the version is no longer
            // used.
            let isGivenUp =
                withProblems.replica != replica && withProblems.version == word.inForce
                && withProblems.time > word.time
            usable[word.inForce, default: Share()].count(
                isKept: inForce.replica == replica && !isGivenUp)
            // A later acknowledgement without problems is for this version or a later one.
            let isFixed =
                inForce.replica != replica && inForce.version >= word.withProblems
                && inForce.time >= word.time
            unusable[word.withProblems, default: Share()].count(
                isKept: withProblems.replica == replica && !isFixed)
            let last = inForce.version >= withProblems.version ? inForce : withProblems
            users.count(isKept: last.replica == replica)
        }
        return AcknowledgementCounts(
            clients: users.of(counts.clients),
            versions: counts.versions.map { version in
                let share = unusable[version.number] ?? Share()
                return AcknowledgementCounts.Version(
                    number: version.number,
                    inForce: (usable[version.number] ?? Share()).of(version.inForce),
                    withProblems: share.of(version.withProblems),
                    problems: version.problems.map {
                        AcknowledgementCounts.Problem(
                            place: $0.place, clients: share.of($0.clients), message: $0.message)
                    }.filter { $0.clients > 0 })
            }.filter { $0.inForce > 0 || $0.withProblems > 0 })
    }
}
