import Observation

extension ActiveConfig {
    /// The configuration of properties that have no other; see ``ActiveSetting``.
    ///
    /// Set it once, at launch; properties read before then follow it as well. In tests pass a
    /// configuration to each property or view instead.
    public static var shared: ActiveConfig? {
        get { SharedConfiguration.instance.config }
        set { SharedConfiguration.instance.config = newValue }
    }
}

/// Storage of ``ActiveConfig/shared``, which can be read before it is set.
final class SharedConfiguration: Sendable {
    static let instance = SharedConfiguration()

    private let current = Locked<ActiveConfig?>(nil)
    /// Yields after the configuration was replaced.
    private let replacements = ChangeSignals()
    private let place = Place()
    /// Settings whose missing configuration was logged.
    private let reported = Locked<Set<String>>([])
    /// Where that is logged.
    let log = Locked(ActiveConfigLog.system)

    /// Has no configuration and never gets one.
    private let unconfigured = ActiveConfig(
        configStore: InMemoryStore(),
        options: ActiveConfigOptions(overridePolicy: .never))

    var config: ActiveConfig? {
        get { current.withLock { $0 } }
        set {
            // Released after the lock: a `deinit` may read the new one.
            let old = current.withLock { config in
                defer { config = newValue }
                return config
            }
            replacements.yield()
            if MainQueue.isCurrent {
                MainActor.assumeIsolated { place.notify() }
            } else {
                Task { @MainActor [place] in place.notify() }
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Registers the access with the current observation tracking.
    @MainActor
    func track() { place.access() }

    /// Logs, once for each setting, that a property has no configuration to follow.
    func reportMissing<Value>(for selection: SettingSelection<Value>) {
        guard reported.withLock({ $0.insert(selection.description).inserted }) else { return }
        log.withLock { $0 }(
            .error,
            "@ActiveSetting has no configuration for '\(selection.description)' and gives the default: add "
                + ".activeConfig(config) to the view, also to a sheet's and a second window's, pass one with "
                + "in:, or set ActiveConfig.shared.")
    }

    /// The values in the shared configuration, even after it is replaced.
    func values<Value>(of selection: SettingSelection<Value>) -> ConfigurationUpdates<Value> {
        ConfigurationUpdates(
            of: selection, makeSignals: { self.makeSignals() },
            load: {
                let config = self.config ?? self.unconfigured
                return ConfigurationSnapshot(
                    config: config, contents: await config.loadedSnapshotInTask())
            })
    }

    /// Identity for Observation: it has no value, only changes.
    private final class Place: Observable, Sendable {
        private let registrar = ObservationRegistrar()
        private let changes = 0

        @MainActor
        func access() { registrar.access(self, keyPath: \.changes) }

        @MainActor
        func notify() { registrar.withMutation(of: self, keyPath: \.changes) {} }
    }
}

extension SharedConfiguration {
    /// Yields whenever a value may have changed or the shared configuration was replaced.
    private func makeSignals() -> AsyncStream<Void> {
        let (signals, signal) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let replaced = replacements.makeStream()
        let first = config?.makeSignals()
        let task = Task { [weak self] in
            var following = Self.forward(first, to: signal)
            for await _ in replaced {
                following.cancel()
                following = Self.forward(self?.config?.makeSignals(), to: signal)
                signal.yield()
            }
            following.cancel()
        }
        signal.onTermination = { _ in task.cancel() }
        return signals
    }

    private static func forward(
        _ signals: AsyncStream<Void>?, to signal: AsyncStream<Void>.Continuation
    ) -> Task<Void, Never> {
        Task {
            guard let signals else { return }
            for await _ in signals { signal.yield() }
        }
    }
}
