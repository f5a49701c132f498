public import ActiveConfig
public import Configuration

/// The settings of an `ActiveConfig`, for a `ConfigReader` of swift-configuration.
///
/// ```swift
/// let reader = ConfigReader(providers: [EnvironmentVariablesProvider(), ActiveConfigProvider(config)])
/// let limit = reader.int(forKey: "Checkout.limit", default: 10)
/// ```
///
/// The first component of a key is the section. The others, joined by dots, are the setting's name; if the
/// section has no setting of that name, each of them is a level of nested JSON objects. A key of one
/// component has no value, and a key's context is ignored.
///
/// Values are read as a `SettingKey` of the type reads them. `null` counts as absent, so that the next
/// provider is asked; any other value that cannot be read as the requested type is a ``TypeMismatch``.
public struct ActiveConfigProvider: Sendable {
    /// The name in access logs.
    public let providerName: String

    private let settings: any SectionObserving
    private let bytesDecoder: any ConfigBytesFromStringDecoder
    private let download: @Sendable () async throws -> Void

    /// Creates a provider of the current user's settings.
    ///
    /// - Parameters:
    ///   - config: The configuration.
    ///   - name: Distinguishes providers in access logs; without a user ID, which a log should not have.
    ///   - bytesDecoder: Reads bytes from strings.
    public init(
        _ config: ActiveConfig, name: String? = nil,
        bytesDecoder: some ConfigBytesFromStringDecoder = .base64
    ) {
        self.init(
            settings: config, name: name, bytesDecoder: bytesDecoder,
            download: { try await config.downloadNewConfig() })
    }

    /// Creates a provider of one user's settings, and keeps the user in memory.
    ///
    /// - Parameters:
    ///   - user: The user: `config.configuration(forUserID: "1")`.
    ///   - name: Distinguishes providers in access logs; without a user ID, which a log should not have.
    ///   - bytesDecoder: Reads bytes from strings.
    public init(
        _ user: UserConfiguration, name: String? = nil,
        bytesDecoder: some ConfigBytesFromStringDecoder = .base64
    ) {
        self.init(
            settings: user, name: name, bytesDecoder: bytesDecoder,
            download: { try await user.download() })
    }

    private init(
        settings: any SectionObserving, name: String?,
        bytesDecoder: any ConfigBytesFromStringDecoder,
        download: @escaping @Sendable () async throws -> Void
    ) {
        self.settings = settings
        self.bytesDecoder = bytesDecoder
        self.download = download
        providerName = "ActiveConfigProvider" + (name.map { "[\($0)]" } ?? "")
    }
}

// `nonisolated(nonsending)` is the protocol's default, which a package may not have.
extension ActiveConfigProvider: ConfigProvider {
    /// The active value.
    ///
    /// The first read of a user who is not in memory reads the store on the calling thread.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try SettingLookup(key, type).result(in: settings, bytesDecoder: bytesDecoder)
    }

    /// Downloads the configuration, or joins a running download, and returns the active value.
    ///
    /// A key of one component has no value, and makes no request.
    ///
    /// - Throws: ``FetchError``, ``TypeMismatch``, or `CancellationError`.
    nonisolated(nonsending)
        public func fetchValue(
            forKey key: AbsoluteConfigKey, type: ConfigType
        ) async throws -> LookupResult
    {
        if key.components.count > 1 {
            do {
                try await download()
            } catch  where !(error is CancellationError) {
                throw FetchError(underlyingError: error)
            }
        }
        return try value(forKey: key, type: type)
    }

    /// The active value, then each new one; a slow consumer gets the newest.
    nonisolated(nonsending)
        public func watchValue<Return: ~Copyable>(
            forKey key: AbsoluteConfigKey, type: ConfigType,
            updatesHandler:
                nonisolated(nonsending) (
                    _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
                ) async throws -> Return
        ) async throws -> Return
    {
        guard key.components.count > 1 else {
            return try await watchValueFromValue(
                forKey: key, type: type, updatesHandler: updatesHandler)
        }
        return try await updatesHandler(
            ConfigUpdatesAsyncSequence(
                ValueUpdates(sections: settings.values(ofSection: key.components[0])) { section in
                    Result {
                        try SettingLookup(key, type).result(
                            in: section, diagnostics: settings.diagnostics,
                            bytesDecoder: bytesDecoder)
                    }
                }))
    }

    /// The active configuration; all reads see the same document.
    public func snapshot() -> any ConfigSnapshot { snapshot(of: settings.snapshot) }

    /// The active configuration, then each new one; a slow consumer gets the newest.
    nonisolated(nonsending)
        public func watchSnapshot<Return: ~Copyable>(
            updatesHandler:
                nonisolated(nonsending) (
                    _ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
                ) async throws -> Return
        ) async throws -> Return
    {
        try await updatesHandler(
            ConfigUpdatesAsyncSequence(settings.snapshots().map { snapshot(of: $0) }))
    }

    private func snapshot(of configuration: ConfigurationSnapshot) -> any ConfigSnapshot {
        Snapshot(
            providerName: providerName, configuration: configuration, bytesDecoder: bytesDecoder)
    }
}

extension ActiveConfigProvider: CustomStringConvertible, CustomDebugStringConvertible {
    /// The name, without values.
    public var description: String { providerName }

    /// The name, without values.
    public var debugDescription: String { providerName }
}

extension ActiveConfigProvider {
    /// A value that cannot be read as the requested type.
    public struct TypeMismatch: Error, Hashable, CustomStringConvertible {
        /// The key, with dots.
        public let key: String
        /// The requested type.
        public let type: ConfigType

        /// Creates an error, for tests.
        public init(key: String, type: ConfigType) {
            self.key = key
            self.type = type
        }

        /// One sentence, without the value, which may be secret.
        public var description: String { "The setting '\(key)' cannot be read as '\(type)'." }
    }

    /// A failed download.
    ///
    /// Access logs contain the description of an error, and that of a `DownloadError` has the URL, in
    /// which a user ID may be.
    public struct FetchError: Error, CustomStringConvertible {
        /// The error of the download, which may name the user.
        public let underlyingError: any Error

        /// Creates an error, for tests.
        public init(underlyingError: any Error) { self.underlyingError = underlyingError }

        /// One sentence with code and status, or the name of the error's type.
        public var description: String {
            guard let error = underlyingError as? DownloadError else {
                return "The download failed: \(type(of: underlyingError))."
            }
            let status = error.status.map { ", status \($0)" } ?? ""
            return "The download failed: \(error.code)\(status)."
        }
    }

    /// One configuration.
    fileprivate struct Snapshot: ConfigSnapshot, CustomStringConvertible,
        CustomDebugStringConvertible
    {
        let providerName: String
        let configuration: ConfigurationSnapshot
        let bytesDecoder: any ConfigBytesFromStringDecoder

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            try SettingLookup(key, type).result(in: configuration, bytesDecoder: bytesDecoder)
        }

        var description: String { providerName }
        var debugDescription: String { providerName }
    }
}

/// The look-up of a key's value.
private struct SettingLookup {
    let components: [String]
    let type: ConfigType

    init(_ key: AbsoluteConfigKey, _ type: ConfigType) {
        components = key.components
        self.type = type
    }

    func result(
        in settings: some SettingsReading, bytesDecoder: any ConfigBytesFromStringDecoder
    ) throws -> LookupResult {
        try result(
            in: components.first.flatMap { settings[$0] }, diagnostics: settings.diagnostics,
            bytesDecoder: bytesDecoder)
    }

    /// The value in the section that the key names.
    func result(
        in section: ActiveConfigSection?,
        diagnostics: @autoclosure () -> ConfigurationDiagnostics,
        bytesDecoder: any ConfigBytesFromStringDecoder
    ) throws -> LookupResult {
        let encodedKey = components.joined(separator: ".")
        guard let section, let (value, paths) = found(in: section), value != .null else {
            return LookupResult(encodedKey: encodedKey, value: nil)
        }
        guard let content = content(of: value, bytesDecoder) else {
            throw ActiveConfigProvider.TypeMismatch(key: encodedKey, type: type)
        }
        let diagnostics = diagnostics()
        return LookupResult(
            encodedKey: encodedKey,
            value: ConfigValue(content, isSecret: paths.contains(where: diagnostics.isSecret)))
    }

    /// The value, and the settings whose mark as a secret applies to it.
    private func found(in section: ActiveConfigSection) -> (SettingValue, [SettingPath])? {
        let (sectionName, names) = (components[0], components.dropFirst())
        guard let first = names.first else { return nil }
        let joined = names.joined(separator: ".")
        let value =
            section[joined]
            ?? names.dropFirst().reduce(section[first]) { value, name in value?[name] }
        return value.map { ($0, levels(of: joined).map { SettingPath(sectionName, $0) }) }
    }

    /// `a`, `a.b` and `a.b.c` for `a.b.c`, whose components may have dots.
    private func levels(of name: String) -> [String] {
        let scalars = name.unicodeScalars
        return scalars.indices.filter { scalars[$0] == "." }.map { String(scalars[..<$0]) } + [name]
    }

    private func content(
        of value: SettingValue, _ bytesDecoder: any ConfigBytesFromStringDecoder
    ) -> ConfigContent? {
        switch type {
        case .string: String(settingValue: value).map { .string($0) }
        case .int: Int(settingValue: value).map { .int($0) }
        case .double: Double(settingValue: value).map { .double($0) }
        case .bool: Bool(settingValue: value).map { .bool($0) }
        case .bytes: value.stringValue.flatMap(bytesDecoder.decode).map { .bytes($0) }
        case .stringArray: [String](settingValue: value).map { .stringArray($0) }
        case .intArray: [Int](settingValue: value).map { .intArray($0) }
        case .doubleArray: [Double](settingValue: value).map { .doubleArray($0) }
        case .boolArray: [Bool](settingValue: value).map { .boolArray($0) }
        case .byteChunkArray: byteChunks(of: value, bytesDecoder).map { .byteChunkArray($0) }
        }
    }

    private func byteChunks(
        of value: SettingValue, _ bytesDecoder: any ConfigBytesFromStringDecoder
    ) -> [[UInt8]]? {
        guard let texts = value.stringArrayValue else { return nil }
        let chunks = texts.compactMap(bytesDecoder.decode)
        return chunks.count == texts.count ? chunks : nil
    }
}

/// The values of a key: the current one first, then each new one.
private struct ValueUpdates: AsyncSequence, Sendable {
    typealias Element = Result<LookupResult, any Error>

    let sections: ConfigurationUpdates<ActiveConfigSection?>
    /// The key's value in a section.
    let read: @Sendable (ActiveConfigSection?) -> Element

    func makeAsyncIterator() -> Iterator {
        Iterator(sections: sections.makeAsyncIterator(), read: read)
    }

    struct Iterator: AsyncIteratorProtocol {
        var sections: ConfigurationUpdates<ActiveConfigSection?>.Iterator
        let read: @Sendable (ActiveConfigSection?) -> Element
        var last: Element?

        mutating func next() async -> Element? { await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let section = await sections.next(isolation: actor) {
                let element = read(section)
                if let last, isSame(last, element) { continue }
                last = element
                return element
            }
            return nil
        }

        private func isSame(_ old: Element, _ new: Element) -> Bool {
            switch (old, new) {
            case (.success(let old), .success(let new)): old == new
            case (.failure, .failure): true
            default: false
            }
        }
    }
}
