import ActiveConfig
import Foundation

/// One user's part of a stream of many users.
final class UserStreamPart: Sendable {
    let userID: UserID
    /// Entity tag of the user's document, for a conditional request.
    let entityTag: String?
    let events: StreamBuffer<Void, ActiveConfigEvent>
    /// The approximate length of ``request``.
    let size: Int
    private let signals: SettingValue
    /// The client's version, according to the last delivered event.
    private let lastEventID: Locked<String?>

    init(
        _ userID: UserID, signals: [String: String], lastEventID: String?, entityTag: String?,
        limits: ConfigurationLimits
    ) {
        self.userID = userID
        self.entityTag = entityTag
        self.signals = .object(signals.mapValues { .string($0) })
        self.lastEventID = Locked(lastEventID)
        // The size of two documents, as for a stream of one user.
        events = StreamBuffer(maximumSize: 2 * min(limits.maximumSize, .max / 2))
        size = Self.request(userID, self.signals, lastEventID: "0123456789").jsonData().count + 1
    }

    /// The user as named by the request.
    var request: SettingValue {
        Self.request(userID, signals, lastEventID: lastEventID.withLock { $0 })
    }

    private static func request(
        _ userID: UserID, _ signals: SettingValue, lastEventID: String?
    ) -> SettingValue {
        var request: [String: SettingValue] = [
            "user_id": userID.string.map { .string($0) } ?? .null
        ]
        if signals.dictionaryValue?.isEmpty == false { request["signals"] = signals }
        request["last_event_id"] = lastEventID.map { .string($0) }
        return .object(request)
    }

    /// Delivers an event of the stream; `id` is that of an event after which the stream can be
    /// resumed.
    func receive(_ event: ActiveConfigEvent, id: String? = nil) {
        let isWanted = events.receive(CollectionOfOne(event), size: event.byteCount) { _ in
            DownloadError(.bodyTooLarge)
        }
        if isWanted, let id { lastEventID.withLock { $0 = id } }
    }
}
