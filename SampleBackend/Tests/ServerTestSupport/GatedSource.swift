package import ConfigServer

/// A type that answers only once the test lets it, to have requests in flight.
package actor GatedSource: ConfigurationSource {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false
    private var hasArrived = false

    /// Makes the source, closed.
    package init() {}

    package func configuration(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) async throws -> RenderedConfiguration? {
        hasArrived = true
        for continuation in arrivals { continuation.resume() }
        arrivals = []
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
        return RenderedConfiguration(SampleConfigurationSource.state(forUserID: userID))
    }

    package func checkReadiness() async throws {}

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
