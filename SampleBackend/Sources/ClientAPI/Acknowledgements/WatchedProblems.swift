import Crypto
import Foundation

/// The users of one replica who report problems at the places that rollouts look at.
///
/// The counts that replicas announce name the most frequent problems only, and may count a user whom a
/// load balancer has moved twice. These have all problems at watched places, with the users, so that
/// each user counts once.
package struct WatchedProblems: Sendable, Hashable, Codable {
    /// The users with a problem at a place in one version.
    struct Place: Sendable, Hashable, Codable {
        /// ``ProblemPlace/identifier``, which is shorter than the names.
        let identifier: UInt64
        let version: Int
        let clients: Int
        /// The lowest hashes of the users' IDs, sorted.
        let users: [UInt64]

        private enum CodingKeys: String, CodingKey {
            case identifier = "p"
            case version = "v"
            case clients = "c"
            case users = "u"
        }
    }

    /// Maximum number of users of a place.
    package static let mostUsers = 32

    /// Words that are kept for each user of a place when there is little room.
    private static let wordsPerUser = 32

    var places: [Place] = []

    /// The last acknowledgements of users whom other replicas list.
    var words: [AcknowledgementSample.Word] = []

    package init() {}

    /// The problems of a replica whose program does not announce users.
    init(withoutUsersIn counts: AcknowledgementCounts) {
        places = counts.versions.flatMap { version in
            version.problems.map {
                Place(
                    identifier: $0.place.identifier, version: version.number, clients: $0.clients,
                    users: [])
            }
        }
    }

    /// All listed users.
    package var users: Set<UInt64> { Set(places.flatMap(\.users)) }

    /// False for impossible counts.
    package var isPlausible: Bool {
        places.allSatisfy {
            (0...1_000_000_000).contains($0.clients) && $0.users.count <= $0.clients
        }
    }

    /// The problems with fewer users of each place, and fewer users whom others list.
    package func shortened(toUsers count: Int) -> WatchedProblems {
        var short = self
        short.words = Array(words.prefix(count * Self.wordsPerUser))
        short.places = places.map {
            Place(
                identifier: $0.identifier, version: $0.version, clients: $0.clients,
                users: Array($0.users.prefix(count)))
        }
        return short
    }
}

extension ProblemPlace {
    /// Identifies the place at all replicas.
    package var identifier: UInt64 {
        var bytes = Array(section.utf8)
        if let key { bytes += [0] + key.utf8 }
        return SHA256.hash(data: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension [ReplicaAcknowledgements] {
    /// Number of clients with problems at each place in a version or a later one, by
    /// ``ProblemPlace/identifier``; each client counts once.
    ///
    /// Exact where replicas list all users of a place. Otherwise the listed users, a random sample, show
    /// which share of the reports is of users who count already.
    package func clientsWithProblems(from version: Int) -> [UInt64: Int] {
        // The newest version of which each user has reported anything, at each replica.
        var reported: [UInt64: [(replica: Int, version: Int)]] = [:]
        for (index, replica) in enumerated() {
            for word in (replica.sample?.words ?? []) + replica.problems.words {
                reported[word.user, default: []]
                    .append((index, Swift.max(word.inForce, word.withProblems)))
            }
        }
        var sums: [UInt64: WatchedSum] = [:]
        for (index, replica) in enumerated() {
            for place in replica.problems.places where place.version >= version {
                sums[place.identifier, default: WatchedSum()].add(place) { user in
                    // A client that has moved to another replica has reported anew there.
                    reported[user]?.contains {
                        $0.replica != index && $0.version > place.version
                    } ?? false
                }
            }
        }
        return sums.mapValues(\.clients).filter { $0.value > 0 }
    }
}

/// The users with a problem at one place, of all replicas and versions.
private struct WatchedSum {
    private var reports = 0
    /// The listed users, and whether they still count.
    private var users: [(user: UInt64, counts: Bool)] = []
    /// All users up to this hash are listed.
    private var lastUser = UInt64.max

    mutating func add(_ place: WatchedProblems.Place, isOver: (UInt64) -> Bool) {
        reports += place.clients
        users += place.users.map { ($0, !isOver($0)) }
        if place.users.count < place.clients {
            lastUser = min(lastUser, place.users.last ?? 0)
        }
    }

    var clients: Int {
        let listed = users.filter { $0.user <= lastUser }
        // names: hashes of users
        let counted = Set(listed.lazy.filter(\.counts).map(\.user)).count
        if lastUser == .max { return counted }
        // A replica lists no users: none can be found twice.
        guard !listed.isEmpty else { return reports }
        return Int((Double(reports) * Double(counted) / Double(listed.count)).rounded())
    }
}
