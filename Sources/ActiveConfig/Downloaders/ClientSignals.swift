/// Signals that the server evaluates conditions with: of the app, of the device, and custom ones
/// (<doc:Client-protocol>, section 1).
///
/// ```swift
/// let store = FileDefaultsStore(directory: folder)
/// let signals = ClientSignals(store: store)
/// let config = ActiveConfig(
///     configDownloader: JSONURLDownloader(
///         backend: ActiveConfigBackend(url: server, signals: signals)), configStore: store)
/// try await signals.setCustomSignals(["plan": "pro", "level": 7, "is_trial": false])
/// ```
///
/// They are sent with each request of a downloader that has them. After a change, a ``FetchPolicy``
/// lets the next download ask the server before its interval expires; to download at once, follow
/// ``updates``:
///
/// ```swift
/// for await _ in signals.updates { config.startDownload() }
/// ```
///
/// Custom signals belong to the installation, not to a user, and are kept across launches.
///
/// They are part of the request's URL. The limits apply to each signal; all together can exceed a
/// server's limit: see <doc:Targeting-and-experiments>.
public final class ClientSignals: Sendable {
    /// The maximum number of custom signals.
    public static let maximumCustomCount = 100
    /// The maximum length of a custom signal's name, in Unicode scalars.
    public static let maximumNameLength = 250
    /// The maximum length of a signal's value, in Unicode scalars.
    public static let maximumValueLength = 500

    private let platform: @Sendable () -> PlatformSignals
    private let stored: StoredState<[String: String]>
    private let storeCalls = BlockingCalls()
    package let changeSignals = ChangeSignals()

    /// Creates signals, with the custom ones that the store has kept.
    ///
    /// Does not read the store yet.
    ///
    /// - Parameters:
    ///   - platform: Returns the signals of the app and the device, by default all that the
    ///     platform knows; called for each request. ``PlatformSignals/init()`` sends none.
    ///   - store: Keeps the custom signals across launches if it keeps records (``StoreRecord``),
    ///     for example the store of the ``ActiveConfig/ActiveConfig``; nil keeps them in memory.
    ///   - log: Receives a warning when they cannot be stored.
    public init(
        platform: @escaping @Sendable () -> PlatformSignals = { .current },
        store: (any ActiveConfigStore)? = nil, log: ActiveConfigLog = .system
    ) {
        self.platform = platform
        stored = StoredState("signals", initial: [:], store: store, log: log)
    }

    /// All signals as they are sent, by their query names, such as `app.version` and `signal.plan`.
    public var values: [String: String] {
        stored.value.reduce(into: platform().namedValues) { $0["signal.\($1.key)"] = $1.value }
    }

    /// The custom signals.
    public var custom: [String: String] { stored.value }

    /// A digest of ``values``; equal signals have equal digests in every launch.
    public var digest: String {
        let text = values.sortedByName().map {
            "\(ActiveConfigBackend.percentEncoded($0.key))="
                + ActiveConfigBackend.percentEncoded($0.value)
        }.joined(separator: "&")
        return String(SHA256.hexDigest(of: text.utf8).prefix(16))
    }

    /// Sets custom signals and keeps the others; sets none of them if one exceeds a limit.
    ///
    /// When it returns they are stored, which takes a few milliseconds. If they cannot be stored, they last
    /// for this launch: see ``ActiveConfigStore``.
    ///
    /// - Parameter signals: Values by name; nil removes a signal.
    /// - Throws: ``CustomSignalError``, with the first signal that exceeds a limit.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func setCustomSignals(
        _ signals: [String: CustomSignalValue?]
    ) throws(CustomSignalError) {
        try set(signals)
    }

    /// Sets custom signals and keeps the others; sets none of them if one exceeds a limit.
    ///
    /// When it returns they are stored. If they cannot be stored, they last for this launch: see
    /// ``ActiveConfigStore``.
    ///
    /// - Parameter signals: Values by name; nil removes a signal.
    /// - Throws: ``CustomSignalError``, with the first signal that exceeds a limit.
    public func setCustomSignals(
        _ signals: [String: CustomSignalValue?]
    ) async throws(CustomSignalError) {
        try await storeCalls.run {
            Result { () throws(CustomSignalError) in try self.set(signals) }
        }.get()
    }

    /// Removes all custom signals, as `setCustomSignals(_:)` removes one.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func removeAllCustomSignals() { removeAll() }

    /// Removes all custom signals, as `setCustomSignals(_:)` removes one.
    public func removeAllCustomSignals() async {
        await storeCalls.run { self.removeAll() }
    }

    /// Yields after custom signals have changed; unread changes coalesce into one.
    ///
    /// A change of the device's settings is not announced; the next request sends it.
    public var updates: ConfigurationUpdates<Void> {
        ConfigurationUpdates { [changeSignals] in
            let seen = Locked(changeSignals.count)
            return .init(signals: changeSignals.makeStream()) {
                let count = changeSignals.count
                return seen.withLock { seen in
                    defer { seen = count }
                    return seen == count ? nil : ()
                }
            }
        }
    }

    private func set(_ signals: [String: CustomSignalValue?]) throws(CustomSignalError) {
        try Self.check(signals)
        let result: Result<Bool, CustomSignalError> = stored.update { custom in
            var new = custom
            for (name, value) in signals {
                // Of two names that are equal as Swift strings, the new one's bytes are sent.
                new[name] = nil
                new[name] = value?.text
            }
            guard new.count <= Self.maximumCustomCount else {
                let added = new.keys.filter { custom[$0] == nil }.sortedByBytes()
                let name = added.dropFirst(max(0, Self.maximumCustomCount - custom.count)).first
                return .failure(CustomSignalError(.tooMany, name: name ?? added.first ?? ""))
            }
            let isChanged = !Self.isSame(custom, new)
            if isChanged { custom = new }
            return .success(isChanged)
        }
        if try result.get() { changeSignals.yield() }
    }

    private func removeAll() {
        let isChanged = stored.update { custom in
            defer { custom = [:] }
            return !custom.isEmpty
        }
        if isChanged { changeSignals.yield() }
    }

    private static func check(
        _ signals: [String: CustomSignalValue?]
    ) throws(CustomSignalError) {
        for name in signals.keys.sortedByBytes() {
            if name.isEmpty { throw CustomSignalError(.noName, name: name) }
            if name.unicodeScalars.isLonger(than: maximumNameLength) {
                throw CustomSignalError(.nameTooLong, name: name)
            }
            guard case .some(.some(let value)) = signals[name] else { continue }
            guard let text = value.text else { throw CustomSignalError(.notFinite, name: name) }
            if text.unicodeScalars.isLonger(than: maximumValueLength) {
                throw CustomSignalError(.valueTooLong, name: name)
            }
        }
    }

    /// Compares bytes, as the server does.
    private static func isSame(_ left: [String: String], _ right: [String: String]) -> Bool {
        func bytes(_ signals: [String: String]) -> [[[UInt8]]] {
            signals.sortedByName().map {
                [Array($0.key.utf8), Array($0.value.utf8)]
            }
        }
        return bytes(left) == bytes(right)
    }
}
