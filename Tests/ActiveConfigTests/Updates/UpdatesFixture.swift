import ActiveConfigTesting
import Foundation

@testable import ActiveConfig

/// A device clock that a test can set.
final class DeviceTime: Sendable {
    private let time = Locked(Date(timeIntervalSince1970: 1_700_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// Launches of an app over one store, on a device with one clock.
struct UpdatesFixture: Sendable {
    let store: (any ActiveConfigStore)?
    let time = DeviceTime()
    let options: ActiveConfigOptions

    init(
        _ store: (any ActiveConfigStore)? = InMemoryStore(),
        fetchPolicy: FetchPolicy = .always, activation: ActivationPolicy = .immediate
    ) {
        self.store = store
        var options = ActiveConfigOptions()
        options.fetchPolicy = fetchPolicy
        options.activationPolicy = activation
        self.options = options
    }

    /// Starts the app; the script contains all its answers.
    func launch(_ downloader: ScriptedDownloader = ScriptedDownloader()) -> CoordinatorFixture {
        CoordinatorFixture.make(
            downloader, store: store, now: { [time] in time.now }, options: options)
    }
}

extension FetchPolicy {
    /// Waits of 120 seconds to 4 hours, drawn with a seed.
    static func make(
        minimumInterval: Duration = .zero, seed: UInt64 = 1,
        version: @escaping @Sendable () -> String = { "1.0 1" }
    ) -> FetchPolicy {
        var policy = FetchPolicy(
            minimumInterval: minimumInterval,
            backoff: Backoff(generator: SeededGenerator(seed: seed)))
        policy.appVersion = version
        return policy
    }
}

/// Downloader whose request digest is set by a test.
struct DigestedDownloader: ActiveConfigDownloader {
    let base: ScriptedDownloader
    let digest: Locked<String>

    var requestDigest: String { digest.withLock { $0 } }

    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        try await base.requestActiveConfig(forUserID: userID, lastKnown: lastKnown)
    }
}

extension ActiveConfig {
    /// The age of the active document by the test's clock.
    var age: Duration? { status.age(at: now()) }
}
