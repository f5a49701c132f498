import ClientAPI
import JSONTree
import Targeting

/// Signal values that several users have sent, for suggestions (API 3).
///
/// As in the sample, a value of fewer than ``SignalSample/commonUsers`` users is omitted, so a rare
/// value, such as an e-mail address, identifies no user.
struct CommonSignals: Sendable {
    /// Maximum number of connected clients to count.
    private static let maximumListeners = 2_000

    /// Number of clients to count before yielding to other requests.
    private static let listenersAtATime = 256

    /// Maximum number of signals to count per client.
    private static let maximumSignals = 40

    /// Maximum number of names in the response, and of values per name.
    private static let maximumNames = 50
    private static let maximumValues = 50

    /// Maximum length of a value in the response, in Unicode scalars; longer values are useless as
    /// suggestions.
    private static let maximumLength = 100

    /// A signal with its value.
    private struct Sent: Hashable {
        let name: ExactText
        let value: ExactText
    }

    /// Number of users who sent each value.
    private var counts: [Sent: Int] = [:]

    /// Counts the signals of the sample and of the connected clients.
    init(of sample: [SignalSample.Entry], _ listeners: [StreamListener]) async {
        for entry in sample {
            for signal in Self.signals(entry.signals) { counts[signal, default: 0] += 1 }
        }
        // All clients without a user ID count as one user, since they may be the same device.
        var users: [Sent: Set<ExactText?>] = [:]
        for (index, listener) in listeners.prefix(Self.maximumListeners).enumerated() {
            if index.isMultiple(of: Self.listenersAtATime) { await Task.yield() }
            let user = listener.userID.map { ExactText($0) }
            for signal in Self.signals(listener.signals) {
                users[signal, default: []].insert(user)
            }
        }
        for (signal, users) in users where users.count >= SignalSample.commonUsers {
            counts[signal] = max(counts[signal] ?? 0, users.count)
        }
    }

    private static func signals(_ signals: Signals) -> [Sent] {
        signals.namedValues.prefix(maximumSignals)
            .filter { !$0.value.isLonger(than: maximumLength) }
            .map { Sent(name: ExactText($0.name), value: ExactText($0.value)) }
    }

    /// The values by the signal's name in queries, most frequent first:
    /// `{"device.os": ["ios", "android"], "signal.plan": ["gold"]}`.
    var json: JSONNode {
        let byName = Dictionary(grouping: counts, by: \.key.name)
            .sorted { $0.key.text.precedes($1.key.text) }
        var node = JSONNode.emptyObject
        for (name, values) in byName.prefix(Self.maximumNames) {
            let sorted = values.sorted { left, right in
                left.value == right.value
                    ? left.key.value.text.precedes(right.key.value.text) : left.value > right.value
            }
            node.setMember(
                name.text,
                .array(sorted.prefix(Self.maximumValues).map { .string($0.key.value.text) }))
        }
        return node
    }
}
