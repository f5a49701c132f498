import ActiveConfig

/// In-memory store that records its calls and runs a test's closure before each.
final class ObservedStore: ActiveConfigStore {
    /// Call of the store.
    enum Event: Hashable {
        case read(String?)
        case readOwn(String?)
        case persist(String?, ConfigurationState?)
        case firstDownloadFinished
        case recordFirstDownloadFinished
    }

    let base: InMemoryStore
    private let recorded = Locked<[Event]>([])
    private let body: @Sendable (Event) throws -> Void
    private let nextRead = Locked<(@Sendable () -> Void)?>(nil)

    /// Wraps a store.
    ///
    /// - Parameters:
    ///   - base: Keeps the configurations.
    ///   - body: Called before each operation; an error that it throws before a write is thrown by
    ///     the store.
    init(
        _ base: InMemoryStore = InMemoryStore(),
        _ body: @escaping @Sendable (Event) throws -> Void = { _ in }
    ) {
        self.base = base
        self.body = body
    }

    var events: [Event] { recorded.withLock { $0 } }

    /// Configurations that were passed to `persistConfiguration`, in order; nil is a removal.
    var persisted: [ConfigurationState?] {
        events.compactMap {
            guard case .persist(_, let configuration) = $0 else { return nil }
            return .some(configuration)
        }
    }

    /// Runs `body` between the next read and its return.
    func afterNextRead(_ body: @escaping @Sendable () -> Void) {
        nextRead.withLock { $0 = body }
    }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        try? record(.read(userID))
        let found = base.lastKnownActiveConfiguration(forUserID: userID)
        let body = nextRead.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
        return found
    }

    func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        try? record(.readOwn(userID))
        return base.ownConfiguration(forUserID: userID)
    }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        try record(.persist(userID, configuration))
        base.persistConfiguration(configuration, forUserID: userID)
    }

    var firstDownloadFinished: Bool {
        try? record(.firstDownloadFinished)
        return base.firstDownloadFinished
    }

    func recordFirstDownloadFinished() throws -> Bool {
        try record(.recordFirstDownloadFinished)
        return base.recordFirstDownloadFinished()
    }

    private func record(_ event: Event) throws {
        recorded.withLock { $0.append(event) }
        try body(event)
    }
}
