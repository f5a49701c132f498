import Crypto
package import Foundation
import NIOConcurrencyHelpers
package import Targeting

/// A bounded sample of the signals of recent requests, for estimates of whom a template changes.
///
/// It is in memory only. It keeps no user ID, and no value of a signal that fewer than
/// ``commonUsers`` users have sent within a day, so that a rare value, such as an e-mail address or a
/// serial number, singles out nobody: users and rare values are keyed hashes, with a random key that
/// is made at each start.
///
/// Without a user ID nobody knows how many users sent a value. Such requests are one user for each
/// set of standard signals, such as `device.os`, and their custom values make no value common.
package final class SignalSample: Sendable {
    /// The common signals of one recent user.
    package struct Entry: Sendable, Hashable {
        package let signals: Signals
        /// A random name in place of the user's ID, which gives percentages their share; nil without
        /// an ID.
        package let surrogate: String?
        /// The keyed hash of the user, as of ``SignalSample/hash(ofUserID:signals:)``.
        package let userHash: UInt64
    }

    /// Number of different users who have to send a value before it is kept.
    package static let commonUsers = 5

    /// Maximum number of users of a project in the sample.
    package static let maximumUsers = 1_000

    /// Maximum number of signals of a user.
    private static let maximumSignals = 40

    /// Maximum number of projects.
    private static let maximumProjects = 100

    /// Time after which an entry counts no more, in seconds: a day.
    private static let lifetime: TimeInterval = 86_400

    private let projects = NIOLockedValueBox<[String: SampledProject]>([:])
    private let budget = NIOLockedValueBox(SamplingBudget())
    private let key = SymmetricKey(size: .bits256)
    private let now: @Sendable () -> Date

    package init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// Records the signals of a request to an existing project, unless there are too many requests
    /// in this second.
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

    /// The recent users of a project, each once.
    package func entries(inProject name: String) -> [Entry] {
        let start = now() - Self.lifetime
        return project(name)?.entries(since: start) ?? []
    }

    /// The names of the signals that enough users send, as in a query, whatever the values.
    package func commonNames(inProject name: String) -> Set<String> {
        let start = now() - Self.lifetime
        return Set(project(name)?.names.common(since: start) ?? [])
    }

    /// The values that enough users send, by the signal's name in a query.
    package func commonValues(inProject name: String) -> [String: Set<String>] {
        let start = now() - Self.lifetime
        let values = project(name)?.values.common(since: start) ?? []
        return values.reduce(into: [:]) { $0[$1.name, default: []].insert($1.value) }
    }

    /// The sample of a project, a copy: what is made of it holds up no request.
    func project(_ name: String) -> SampledProject? {
        projects.withLockedValue { $0[name] }
    }

    /// The keyed hash of a user, by which an entry is known to be theirs; without an ID, of the
    /// signals.
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

    /// A text that no other list of names and values has.
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
    /// The value of a signal by its name in a query.
    fileprivate subscript(name: String) -> String? {
        SignalName(name).flatMap { self[$0] }
    }
}

/// Which requests are recorded: so many a second, of which each project has its share.
///
/// A project's share follows from the number of projects in the second before, so that one with
/// many requests leaves room for the others.
private struct SamplingBudget {
    /// Number of requests a second that the projects share.
    private static let requests = 200

    /// Maximum number of requests a second while projects join, when the shares are still too large.
    private static let maximumRequests = 2 * requests

    /// Minimum share of a project.
    private static let minimumShare = 2

    private var second: Int64 = 0
    private var counts: [String: Int] = [:]
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
