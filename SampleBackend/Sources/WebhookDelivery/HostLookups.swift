import Foundation
import TemplateStore

/// Lookups of host names, each on a thread of its own, since a name server that does not answer
/// blocks it for up to a minute.
///
/// A name that is looked up already is not looked up again, so that a slow one holds one thread
/// however often it is tried.
final class HostLookups: Sendable {
    typealias Waiter = @Sendable (Result<[NetworkAddress], ResolutionError>) -> Void

    /// Maximum number of names that are looked up at once.
    static let maximumCount = 64

    private let find: @Sendable (_ host: String) -> [NetworkAddress]

    /// The callers that wait for addresses, by name.
    private let waiters = Locked<[String: [Waiter]]>([:])

    private enum Step {
        case start, join, refuse
    }

    /// - Parameter find: Returns the addresses of a name; it may block.
    init(find: @escaping @Sendable (_ host: String) -> [NetworkAddress]) {
        self.find = find
    }

    /// The addresses of a name; empty when there is none.
    ///
    /// It goes on when its task is cancelled.
    ///
    /// - Throws: ``ResolutionError`` when too many names are being looked up.
    func addresses(of host: String) async throws -> [NetworkAddress] {
        try await withCheckedThrowingContinuation { continuation in
            lookUp(host) { continuation.resume(with: $0) }
        }
    }

    /// Calls `waiter` with the addresses of a name, or at once when too many names are being looked
    /// up.
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
                        message: "\(Self.maximumCount) other names are being resolved, and take "
                            + "long: check the name servers of this machine.")))
        }
    }

    private func finish(_ host: String, _ addresses: [NetworkAddress]) {
        let waiting = waiters.withLock { $0.removeValue(forKey: host) } ?? []
        for waiter in waiting { waiter(.success(addresses)) }
    }
}

/// The reason why the addresses of a host are not known.
struct ResolutionError: Error {
    /// A sentence.
    let message: String
}
