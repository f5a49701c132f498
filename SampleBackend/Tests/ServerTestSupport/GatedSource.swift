import ClientAPI
import ConfigServer
package import Rendering
package import Targeting

/// A type that is ready only once the test lets it, to have requests in flight.
package actor GatedSource: ConfigurationSource {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false
    private var hasArrived = false

    /// Makes the source, closed.
    package init() {}

    package nonisolated func configuration(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedConfiguration? {
        RenderedConfiguration(SampleConfigurationSource.state(forUserID: userID))
    }

    package func checkReadiness() async throws {
        hasArrived = true
        for continuation in arrivals { continuation.resume() }
        arrivals = []
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Returns once a request is here.
    package func arrival() async {
        if !hasArrived { await withCheckedContinuation { arrivals.append($0) } }
    }

    /// Lets everything through.
    package func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
