import Foundation
import Targeting

/// The part of a request that the sample keeps.
struct SampledRequest: Sendable {
    struct Name: Sendable {
        let text: String
        let hash: UInt64
    }

    struct Value: Sendable {
        /// The signal's name in queries.
        let name: String
        let value: String
        let hash: UInt64
        let isCustom: Bool
    }

    /// The hash of the user.
    let user: UInt64

    /// The hash of the sender to whom the names and values are attributed.
    let sender: UInt64

    let hasID: Bool
    let names: [Name]
    let values: [Value]
    let date: Date
}

/// The sample of one project.
struct SampledProject: Sendable {
    private struct User {
        let hash: UInt64
        /// The hashes of all values, including rare ones.
        let values: [UInt64]
        let surrogate: String?
        let date: Date
    }

    /// A ring buffer of the last users.
    private var users: [User] = []
    private var next = 0

    /// The index of each user in the ring, by hash.
    private var indexes: [UInt64: Int] = [:]

    private(set) var names = SentTexts<String>(maximumCount: 1_000)
    private(set) var values = SentTexts<SampledRequest.Value>(maximumCount: 5_000)

    /// The time of the last request.
    private(set) var date = Date.distantPast

    /// Records a request; requests before `start` no longer count.
    mutating func record(_ request: SampledRequest, since start: Date) {
        date = request.date
        for name in request.names {
            names.record(
                name.text, hash: name.hash, by: request.sender, at: request.date, since: start)
        }
        for value in request.values where request.hasID || !value.isCustom {
            values.record(
                value, hash: value.hash, by: request.sender, at: request.date, since: start)
        }
        replaceUser(of: request)
    }

    private mutating func replaceUser(of request: SampledRequest) {
        let known = indexes[request.user]
        let user = User(
            hash: request.user, values: request.values.map(\.hash),
            surrogate: known.map { users[$0].surrogate }
                ?? (request.hasID ? UUID().uuidString : nil),
            date: request.date)
        if let known {
            users[known] = user
        } else if users.count < SignalSample.maximumUsers {
            indexes[request.user] = users.count
            users.append(user)
        } else {
            indexes[users[next].hash] = nil
            indexes[request.user] = next
            users[next] = user
            next = (next + 1) % SignalSample.maximumUsers
        }
    }

    func entries(since start: Date) -> [SignalSample.Entry] {
        users.filter { $0.date > start }.map { user in
            SignalSample.Entry(
                signals: signals(of: user, since: start), surrogate: user.surrogate,
                userHash: user.hash)
        }
    }

    /// The common signals of the user with a hash; nil for a user who is not in the sample.
    func signals(ofUser hash: UInt64, since start: Date) -> Signals? {
        guard let index = indexes[hash], users[index].date > start else { return nil }
        return signals(of: users[index], since: start)
    }

    private func signals(of user: User, since start: Date) -> Signals {
        var signals = Signals()
        for hash in user.values {
            guard let value = values.common(hash, since: start) else { continue }
            // Cannot fail, since the request's signals were within the limits.
            try? signals.setValue(value.value, named: value.name)
        }
        return signals
    }
}

/// Texts sent by users.
///
/// Only the hash of a text is kept until enough users have sent it.
struct SentTexts<Text: Sendable>: Sendable {
    /// The last users who sent a text, without duplicates, latest last.
    private struct Senders {
        private var senders: [(hash: UInt64, date: Date)] = []
        /// Nil while the text is rare.
        private(set) var text: Text?

        mutating func add(_ sender: UInt64, of text: Text, at date: Date, since start: Date) {
            senders.removeAll { $0.hash == sender }
            senders.append((sender, date))
            if senders.count > SignalSample.commonUsers { senders.removeFirst() }
            self.text = isCommon(since: start) ? text : nil
        }

        func isCommon(since start: Date) -> Bool {
            senders.count == SignalSample.commonUsers && senders[0].date > start
        }
    }

    /// Maximum number of common texts to skip in the search for a rare one to replace.
    private static var maximumSearch: Int { 16 }

    private let maximumCount: Int
    private var senders: [UInt64: Senders] = [:]

    /// A ring buffer of the hashes in ``senders``.
    private var hashes: [UInt64] = []
    private var next = 0

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    mutating func record(
        _ text: Text, hash: UInt64, by sender: UInt64, at date: Date, since start: Date
    ) {
        if senders[hash] == nil { makeRoom(for: hash, since: start) }
        senders[hash, default: Senders()].add(sender, of: text, at: date, since: start)
    }

    private mutating func makeRoom(for hash: UInt64, since start: Date) {
        guard hashes.count >= maximumCount else {
            hashes.append(hash)
            return
        }
        for _ in 0..<Self.maximumSearch
        where senders[hashes[next]]?.isCommon(since: start) == true {
            next = (next + 1) % maximumCount
        }
        senders[hashes[next]] = nil
        hashes[next] = hash
        next = (next + 1) % maximumCount
    }

    /// The text with a hash; nil while the text is rare.
    func common(_ hash: UInt64, since start: Date) -> Text? {
        guard let known = senders[hash], known.isCommon(since: start) else { return nil }
        return known.text
    }

    /// The common texts.
    func common(since start: Date) -> [Text] {
        senders.values.filter { $0.isCommon(since: start) }.compactMap(\.text)
    }
}
