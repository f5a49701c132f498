import Foundation
import TemplateStore

/// Lookups of host names, each on a thread of its own, since a name server that does not answer
/// blocks it for up to a minute.
///
/// A name that is looked up already is not looked up again, so that a slow one holds one thread
/// however often it is tried.
final class HostLookups: Sendable {
    typealias Waiter = CheckedContinuation<[NetworkAddress], any Error>

    /// Maximum number of names that are looked up at once.
    static let maximumCount = 64

    private let find: @Sendable (_ host: String) -> [NetworkAddress]

    /// Who waits for the addresses, by name.
    let waiters = Locked<[String: [Waiter]]>([:])

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
        try await withCheckedThrowingContinuation { waiter in
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
            case .start: Thread.detachNewThread { self.lookUp(host) }
            case .refuse:
                waiter.resume(
                    throwing: ResolutionError(
                        message: "\(Self.maximumCount) other names are being resolved, and take "
                            + "long: check the name servers of this machine."))
            }
        }
    }

    private func lookUp(_ host: String) {
        let addresses = find(host)
        let waiting = waiters.withLock { $0.removeValue(forKey: host) } ?? []
        for waiter in waiting { waiter.resume(returning: addresses) }
    }
}

/// The reason why the addresses of a host are not known.
struct ResolutionError: Error {
    /// A sentence.
    let message: String
}
