import ClientAPI
import ConfigServer
package import Rendering
package import Targeting

/// Source whose readiness check waits for the test, which keeps requests in flight.
package actor GatedSource: DocumentSource {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false
    private var hasArrived = false

    /// Creates a closed source.
    package init() {}

    package nonisolated func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        RenderedDocument(SampleDocumentSource.state(forUserID: userID))
    }

    package func checkReadiness() async throws {
        hasArrived = true
        for continuation in arrivals { continuation.resume() }
        arrivals = []
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Returns once a readiness check has arrived.
    package func arrival() async {
        if !hasArrived { await withCheckedContinuation { arrivals.append($0) } }
    }

    /// Ends all readiness checks, waiting and future ones.
    package func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
