import Crypto
package import Foundation
package import JSONTree
import NIOConcurrencyHelpers
package import Targeting

/// A bounded sample of the signals of recent requests, for estimating how many users a template
/// affects.
///
/// It exists only in memory. It stores no user IDs and no signal value that fewer than
/// ``commonUsers`` users have sent within a day, so a rare value, such as an e-mail address or a
/// serial number, identifies no user. Users and rare values are stored as keyed hashes with a
/// random key per process.
///
/// Without user IDs the number of users who sent a value is unknown. Requests without a user ID
/// therefore count as one user per set of standard signals, such as `device.os`, and their custom
/// values never make a value common.
package final class SignalSample: Sendable {
    /// The common signals of one recent user.
    package struct Entry: Sendable, Hashable {
        package let signals: Signals
        /// A random replacement for the user's ID, so that percentage conditions select their share
        /// of users; nil without an ID.
        package let surrogate: String?
        /// The keyed hash of the user; see ``SignalSample/hash(ofUserID:signals:)``.
        package let userHash: UInt64
    }

    /// Number of distinct users who must send a value before it is stored.
    package static let commonUsers = 5

    /// Maximum number of users per project.
    package static let maximumUsers = 1_000

    /// Maximum number of signals per user.
    private static let maximumSignals = 40

    /// Maximum number of projects.
    private static let maximumProjects = 100

    /// The time after which an entry no longer counts: a day, in seconds.
    private static let lifetime: TimeInterval = 86_400

    // names: names of projects are ASCII
    private let projects = NIOLockedValueBox<[String: SampledProject]>([:])
    private let budget = NIOLockedValueBox(SamplingBudget())
    private let key = SymmetricKey(size: .bits256)
    private let now: @Sendable () -> Date

    package init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// Records the signals of a request to an existing project, unless the budget of the current
    /// second is used up.
    package func record(inProject project: String, userID: String?, signals: Signals) {
        let date = now()
        let second = Int64(date.timeIntervalSince1970)
        guard budget.withLockedValue({ $0.take(project, second: second) }) else { return }
        let request = sampled(signals, ofUserID: userID, date: date)
        let start = date - Self.lifetime
        projects.withLockedValue { projects in
            if projects[project] == nil, projects.count >= Self.maximumProjects {
                projects = projects.filter { $0.value.date > start }
                guard projects.count < Self.maximumProjects else { return }
            }
            projects[project, default: SampledProject()].record(request, since: start)
        }
    }

    /// Discards the sample of a deleted project.
    package func forget(project name: String) {
        projects.withLockedValue { $0[name] = nil }
    }

    /// The recent users of a project, without duplicates.
    package func entries(inProject name: String) -> [Entry] {
        let start = now() - Self.lifetime
        return project(name)?.entries(since: start) ?? []
    }

    /// The common signals that a user sent last; nil for a user who is not in the sample.
    ///
    /// The sample cannot name its users: a caller must know the ID, whose hash is compared.
    package func signals(ofUser userID: String, inProject name: String) -> Signals? {
        let start = now() - Self.lifetime
        return project(name)?.signals(ofUser: hash("user", userID), since: start)
    }

    /// The names, as in queries, of the signals that enough users send with any value.
    package func commonNames(inProject name: String) -> Set<ExactText> {
        let start = now() - Self.lifetime
        return (project(name)?.names.common(since: start) ?? []).exactNames
    }

    /// The values that enough users send, by the signal's name in queries.
    package func commonValues(inProject name: String) -> [ExactText: Set<ExactText>] {
        let start = now() - Self.lifetime
        let values = project(name)?.values.common(since: start) ?? []
        return values.reduce(into: [:]) {
            $0[ExactText($1.name), default: []].insert(ExactText($1.value))
        }
    }

    /// A copy of a project's sample, so evaluating it does not block requests.
    func project(_ name: String) -> SampledProject? {
        projects.withLockedValue { $0[name] }
    }

    /// The keyed hash that identifies a user's entry; without an ID, the hash of the signals.
    package func hash(ofUserID userID: String?, signals: Signals) -> UInt64 {
        if let userID { return hash("user", userID) }
        return hash("signals", Self.text(of: signals.namedValues))
    }

    private func sampled(
        _ signals: Signals, ofUserID userID: String?, date: Date
    ) -> SampledRequest {
        let named = signals.namedValues
        let user = hash(ofUserID: userID, signals: signals)
        var standard = signals
        standard.custom = [:]
        return SampledRequest(
            user: user,
            sender: userID == nil ? hash("sender", Self.text(of: standard.namedValues)) : user,
            hasID: userID != nil,
            names: named.map { SampledRequest.Name(text: $0.name, hash: hash("name", $0.name)) },
            values: named.prefix(Self.maximumSignals).map { name, value in
                SampledRequest.Value(
                    name: name, value: value, hash: hash("value", Self.text(of: [(name, value)])),
                    isCustom: standard[name] == nil)
            }, date: date)
    }

    /// An unambiguous encoding of names and values.
    private static func text(of values: [(name: String, value: String)]) -> String {
        values.map { "\($0.name.utf8.count) \($0.name)\($0.value.utf8.count) \($0.value)" }
            .joined()
    }

    private func hash(_ kind: String, _ text: String) -> UInt64 {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(kind) \(text)".utf8), using: key)
        return code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Signals {
    /// The value of a signal by its name in queries.
    fileprivate subscript(name: String) -> String? {
        SignalName(name).flatMap { self[$0] }
    }
}

/// Limits the recorded requests per second, with a share for each project.
///
/// A project's share depends on the number of projects in the previous second, so a project with
/// many requests leaves room for others.
private struct SamplingBudget {
    /// Number of requests per second shared by all projects.
    private static let requests = 200

    /// Maximum number of requests per second while the number of projects grows and the shares are
    /// still too large.
    private static let maximumRequests = 2 * requests

    /// Minimum share of a project.
    private static let minimumShare = 2

    private var second: Int64 = 0
    private var counts: [String: Int] = [:]  // names: names of projects are ASCII
    private var total = 0
    private var share = requests

    mutating func take(_ project: String, second: Int64) -> Bool {
        if second != self.second {
            self.second = second
            share = max(Self.minimumShare, Self.requests / max(counts.count, 1))
            counts = [:]
            total = 0
        }
        let count = counts[project] ?? 0
        guard count < share, total < Self.maximumRequests else { return false }
        counts[project] = count + 1
        total += 1
        return true
    }
}
