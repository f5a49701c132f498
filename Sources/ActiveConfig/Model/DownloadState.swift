import Foundation

/// What an observer sees of downloads.
struct DownloadState: Sendable, Equatable {
    let last: DownloadRecord?
    let freshness: ConfigurationFreshness
    let throttledUntil: Date?
}
