import ActiveConfig
import Synchronization

/// Downloader without a network that returns its documents in turn.
final class AlternatingDownloader: ActiveConfigDownloader {
    private let states: [ConfigurationState]
    private let requestCount = Mutex(0)

    init(_ states: ConfigurationState...) {
        self.states = states
    }

    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        let number = requestCount.withLock { count in
            count += 1
            return count
        }
        return states[number % states.count]
    }
}
