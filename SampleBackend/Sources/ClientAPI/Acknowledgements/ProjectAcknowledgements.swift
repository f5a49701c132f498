/// The last acknowledgements of one project's clients; each user counts once.
///
/// Users are stored as hashes, in two generations like a cache: when the young one is full, the
/// users of the old one are dropped and no longer counted.
struct ProjectAcknowledgements: Sendable {
    struct Limits: Sendable {
        /// Maximum number of users per generation.
        var users = 50_000
        /// Maximum number of versions; the lowest is dropped first.
        var versions = 32
        /// Maximum number of places with problems per version; further places are ignored while
        /// clients report problems at these, unless they are watched.
        var places = 64
        /// Maximum number of places with problems per version, including watched ones.
        var placesWithWatched = 256
        /// Maximum number of problems per version in the counts.
        var listedProblems = 10
    }

    /// The changed counts of a version; unchanged ones are nil or missing.
    struct Change: Sendable {
        let version: Int
        let inForce: Int?
        let withProblems: Int?
        let places: [(place: ProblemPlace, count: Int)]
    }

    /// The last acknowledgement of a user; version 0 means none.
    private struct User: Sendable {
        var inForce = 0
        var withProblems = 0
        /// Seconds since 1970.
        var time = 0
        /// Indexes of the places in version ``withProblems``.
        var places: [UInt8] = []
    }

    fileprivate struct Place: Sendable {
        let place: ProblemPlace
        var clients = 0
        var message: String
        /// The number of clients in the last reported change.
        var reported = 0
    }

    fileprivate struct Version: Sendable {
        var inForce = 0
        var withProblems = 0
        /// The counts in the last reported change.
        var reported = (inForce: 0, withProblems: 0)
        var places: [Place] = []
        var indexes: [ProblemPlace: UInt8] = [:]
    }

    private let limits: Limits
    private var young: [UInt64: User] = [:]
    private var old: [UInt64: User] = [:]
    private var versions: [Int: Version] = [:]

    /// Lower versions were dropped and are not counted again.
    private var lowestVersion = 1

    private var changed: Set<Int> = []

    /// The places of changed versions that are no longer listed.
    private var dropped: [Int: Set<ProblemPlace>] = [:]

    /// The places that rollouts look at, of which no other problem takes the room.
    var watched: Set<ProblemPlace> = []

    /// True after ``takeRemoval()``.
    private(set) var isRemoved = false

    init(limits: Limits) {
        self.limits = limits
    }

    /// Replaces the last acknowledgement of a user; `time` is in seconds since 1970.
    mutating func record(
        _ acknowledgement: Acknowledgement, user hash: UInt64, time: Int = 0
    ) {
        let version = acknowledgement.version
        guard makeRoom(for: version) else { return }
        var user = young.removeValue(forKey: hash) ?? old.removeValue(forKey: hash) ?? User()
        count(user, -1)
        user.time = time
        if acknowledgement.isActive {
            user.inForce = version
        } else if user.inForce == version {
            user.inForce = 0
        }
        if !acknowledgement.problems.isEmpty {
            user.withProblems = version
            user.places = places(of: acknowledgement)
        } else if user.withProblems <= version {
            // An acknowledgement of an older version may arrive late and must not clear newer
            // problems.
            user.withProblems = 0
            user.places = []
        }
        count(user, 1)
        if young.count >= limits.users { forgetOldUsers() }
        young[hash] = user
    }

    /// The counts that changed since the last call; a place that is not a setting is left for a
    /// later call.
    mutating func takeChanges(
        isSetting: (ProblemPlace) -> Bool = { _ in true }
    ) -> [Change] {
        defer {
            changed = []
            dropped = [:]
        }
        return changed.map { number in
            let gone = (dropped[number] ?? []).filter { versions[number]?.indexes[$0] == nil }
                .map { (place: $0, count: 0) }
            return versions[number]?.takeChange(number, gone: gone, isSetting: isSetting)
                ?? Change(version: number, inForce: 0, withProblems: 0, places: gone)
        }
    }

    /// The changes of all counts to 0, after which nothing may be recorded any more.
    mutating func takeRemoval() -> [Change] {
        isRemoved = true
        return versions.map { number, version in
            Change(
                version: number, inForce: 0, withProblems: 0,
                places: version.places.filter { $0.reported > 0 }
                    .map { (place: $0.place, count: 0) })
        }
    }

    var counts: AcknowledgementCounts { counts(listing: limits.listedProblems) }

    /// The counts with at most `listed` problems of each version.
    func counts(listing listed: Int) -> AcknowledgementCounts {
        AcknowledgementCounts(
            clients: young.count + old.count,
            versions: versions.sorted { $0.key > $1.key }
                .filter { $0.value.inForce > 0 || $0.value.withProblems > 0 }
                .map { number, version in
                    AcknowledgementCounts.Version(
                        number: number, inForce: version.inForce,
                        withProblems: version.withProblems, problems: problems(of: version, listed))
                })
    }

    /// The last acknowledgements of at most `maximum` users with the lowest hashes.
    func sample(atMost maximum: Int) -> AcknowledgementSample {
        let count = young.count + old.count
        // Hashes are uniformly distributed, so about twice as many as needed are below the bound.
        let bound = UInt64(
            exactly: (Double(2 * maximum) / Double(max(count, 1)) * 0x1p64).rounded())
        var words: [AcknowledgementSample.Word] = []
        for (hash, user) in [young, old].joined() where hash <= bound ?? .max {
            words.append(
                AcknowledgementSample.Word(
                    user: hash, inForce: user.inForce, withProblems: user.withProblems,
                    time: user.time))
        }
        words.sort { $0.user < $1.user }
        guard words.count > maximum else {
            return AcknowledgementSample(words: words, lastUser: bound ?? .max)
        }
        words = Array(words.prefix(maximum))
        return AcknowledgementSample(words: words, lastUser: words.last?.user ?? 0)
    }

    /// The users with problems at some places.
    ///
    /// - Parameters:
    ///   - places: The places.
    ///   - asked: Users whose last acknowledgements are added; those that are unknown are left out.
    /// - Returns: The problems, with the users who have the lowest hashes.
    func problems(at places: Set<ProblemPlace>, words asked: Set<UInt64>) -> WatchedProblems {
        var problems = WatchedProblems()
        problems.words = asked.sorted().compactMap { hash in
            (young[hash] ?? old[hash]).map { user in
                AcknowledgementSample.Word(
                    user: hash, inForce: user.inForce, withProblems: user.withProblems,
                    time: user.time)
            }
        }
        var found: [Int: [UInt8: [UInt64]]] = [:]
        for (number, version) in versions {
            for (place, index) in version.indexes
            where version.places[Int(index)].clients > 0 && places.contains(place) {
                found[number, default: [:]][index] = []
            }
        }
        if found.isEmpty { return problems }
        for (hash, user) in [young, old].joined() where found[user.withProblems] != nil {
            for index in user.places { found[user.withProblems]?[index]?.append(hash) }
        }
        for (number, users) in found.sorted(by: { $0.key < $1.key }) {
            for (index, users) in users.sorted(by: { $0.key < $1.key }) {
                guard let place = versions[number]?.places[Int(index)] else { continue }
                problems.places.append(
                    WatchedProblems.Place(
                        identifier: place.place.identifier, version: number,
                        clients: place.clients,
                        users: Array(users.sorted().prefix(WatchedProblems.mostUsers))))
            }
        }
        return problems
    }

    private func problems(
        of version: Version, _ listed: Int
    ) -> [AcknowledgementCounts.Problem] {
        version.places.filter { $0.clients > 0 }
            .sorted { $0.clients > $1.clients }.prefix(listed)
            .map {
                AcknowledgementCounts.Problem(
                    place: $0.place, clients: $0.clients, message: $0.message)
            }
    }

    /// Adds a version and drops the lowest one if the limit is exceeded; returns false when the
    /// version itself is the lowest.
    private mutating func makeRoom(for version: Int) -> Bool {
        guard version >= lowestVersion else { return false }
        if versions[version] != nil { return true }
        if versions.count >= limits.versions, let lowest = versions.keys.min() {
            guard version > lowest else { return false }
            dropped[lowest, default: []].formUnion(versions[lowest]?.places.map(\.place) ?? [])
            versions[lowest] = nil
            changed.insert(lowest)
            lowestVersion = lowest + 1
        }
        versions[version] = Version()
        return true
    }

    /// Indexes of the places that an acknowledgement names, without duplicates.
    private mutating func places(of acknowledgement: Acknowledgement) -> [UInt8] {
        var indexes: [UInt8] = []
        for problem in acknowledgement.problems {
            let index = index(of: problem, in: acknowledgement.version, besides: indexes)
            guard let index, !indexes.contains(index) else { continue }
            indexes.append(index)
        }
        return indexes
    }

    /// The index of a place, which is added if necessary and if there is room.
    ///
    /// - Parameters:
    ///   - problem: The problem at the place.
    ///   - number: The version.
    ///   - taken: Indexes of the places that are about to be counted.
    /// - Returns: The index; nil when there is no room.
    private mutating func index(
        of problem: Acknowledgement.Problem, in number: Int, besides taken: [UInt8]
    ) -> UInt8? {
        guard let version = versions[number] else { return nil }
        if let index = version.indexes[problem.place] {
            versions[number]?.places[Int(index)].message = problem.message
            return index
        }
        let place = Place(place: problem.place, message: problem.message)
        let most =
            watched.contains(problem.place) ? limits.placesWithWatched : limits.places
        if version.places.count < most {
            guard let index = UInt8(exactly: version.places.count) else { return nil }
            versions[number]?.indexes[problem.place] = index
            versions[number]?.places.append(place)
            return index
        }
        // Reuses a place whose problem no client has any more, so no user refers to its index.
        let free = version.places.indices.first {
            version.places[$0].clients == 0 && !taken.contains(UInt8($0))
        }
        guard let free, let index = UInt8(exactly: free) else { return nil }
        let old = version.places[free].place
        dropped[number, default: []].insert(old)
        versions[number]?.indexes[old] = nil
        versions[number]?.indexes[problem.place] = index
        versions[number]?.places[free] = place
        return index
    }

    private mutating func count(_ user: User, _ change: Int) {
        if versions[user.inForce] != nil {
            versions[user.inForce]?.inForce += change
            changed.insert(user.inForce)
        }
        guard versions[user.withProblems] != nil else { return }
        versions[user.withProblems]?.withProblems += change
        changed.insert(user.withProblems)
        for index in user.places {
            versions[user.withProblems]?.places[Int(index)].clients += change
        }
    }

    private mutating func forgetOldUsers() {
        for user in old.values { count(user, -1) }
        old = young
        young = [:]
    }
}

extension ProjectAcknowledgements.Version {
    /// The counts that changed since the last call; `gone` are the replaced places.
    fileprivate mutating func takeChange(
        _ number: Int, gone: [(place: ProblemPlace, count: Int)],
        isSetting: (ProblemPlace) -> Bool
    ) -> ProjectAcknowledgements.Change {
        var counts = gone
        for index in places.indices {
            let (place, count) = (places[index].place, places[index].clients)
            // A count of 0 is reported even if the template no longer has the setting.
            guard count != places[index].reported, count == 0 || isSetting(place) else { continue }
            places[index].reported = count
            counts.append((place, count))
        }
        defer { reported = (inForce, withProblems) }
        return ProjectAcknowledgements.Change(
            version: number, inForce: inForce == reported.inForce ? nil : inForce,
            withProblems: withProblems == reported.withProblems ? nil : withProblems,
            places: counts)
    }
}
