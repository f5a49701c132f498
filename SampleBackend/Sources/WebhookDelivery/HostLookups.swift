import Foundation
import TemplateStore

/// Looks up host names, each on its own thread: a name server that does not answer can block the
/// thread for up to a minute.
///
/// Concurrent lookups of one name share a thread, so a slow name occupies only one, however often
/// it is retried.
final class HostLookups: Sendable {
    typealias Waiter = @Sendable (Result<[NetworkAddress], ResolutionError>) -> Void

    /// Maximum number of concurrent lookups.
    static let maximumCount = 64

    private let find: @Sendable (_ host: String) -> [NetworkAddress]

    /// The callers waiting for addresses, by host name.
    private let waiters = Locked<[String: [Waiter]]>([:])  // names: hosts as DNS compares them

    private enum Step {
        case start, join, refuse
    }

    /// - Parameter find: Returns the addresses of a name; it may block.
    init(find: @escaping @Sendable (_ host: String) -> [NetworkAddress]) {
        self.find = find
    }

    /// The addresses of a name; empty when there is none.
    ///
    /// It ignores cancellation of its task.
    ///
    /// - Throws: ``ResolutionError`` when too many names are being looked up.
    func addresses(of host: String) async throws -> [NetworkAddress] {
        try await withCheckedThrowingContinuation { continuation in
            lookUp(host) { continuation.resume(with: $0) }
        }
    }

    /// Calls `waiter` with the addresses of a name, or with an error, immediately, when too many
    /// names are being looked up.
    func lookUp(_ host: String, waiter: @escaping Waiter) {
        let step = waiters.withLock { waiters -> Step in
            if waiters[host] != nil {
                waiters[host]?.append(waiter)
                return .join
            }
            guard waiters.count < Self.maximumCount else { return .refuse }
            waiters[host] = [waiter]
            return .start
        }
        switch step {
        case .join: break
        case .start: Thread.detachNewThread { self.finish(host, self.find(host)) }
        case .refuse:
            waiter(
                .failure(
                    ResolutionError(
                        message: "\(Self.maximumCount) other host name lookups are still running: "
                            + "check the name servers of this machine.")))
        }
    }

    private func finish(_ host: String, _ addresses: [NetworkAddress]) {
        let waiting = waiters.withLock { $0.removeValue(forKey: host) } ?? []
        for waiter in waiting { waiter(.success(addresses)) }
    }
}

/// The error of a failed lookup.
struct ResolutionError: Error {
    /// The reason, as a sentence.
    let message: String
}
