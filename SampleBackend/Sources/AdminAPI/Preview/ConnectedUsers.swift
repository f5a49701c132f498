import ClientAPI
import JSONTree

/// The connected users whose IDs contain a text (API 3).
struct ConnectedUsers: Sendable {
    /// Maximum number of IDs in the response.
    private static let maximumUsers = 100

    /// The IDs without duplicates, sorted by bytes.
    private let userIDs: [String]

    /// Finds the users; the search ignores case.
    init(of listeners: [StreamListener], containing text: String) {
        let text = text.lowercased()
        let users = Set(listeners.compactMap { $0.userID.map { ExactText($0) } })
        userIDs = users.map(\.text)
            .filter { text.isEmpty || $0.lowercased().contains(text) }
            .sorted { $0.precedes($1) }
    }

    /// Number of users found.
    var count: Int { userIDs.count }

    /// The first IDs: `["17", "2"]`.
    var json: JSONNode { .array(userIDs.prefix(Self.maximumUsers).map { .string($0) }) }
}
