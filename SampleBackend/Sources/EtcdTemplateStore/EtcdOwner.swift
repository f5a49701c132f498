import Foundation
import TemplateStore

/// An identity of this process, for example for its claims of deliveries: a key under a lease,
/// which disappears when the process ends or cannot reach the cluster for a while.
final class EtcdOwner: Sendable {
    /// Time before the end of a lease at which this process treats the lease as ended.
    private static let margin: Duration = .seconds(2)

    private struct Holding {
        let id: String
        let lease: Int64
        /// Time from which other processes can take over the claims.
        var end: ContinuousClock.Instant
        let renewal: Task<Void, Never>
    }

    private let gateway: EtcdGateway
    /// In seconds; the lease is renewed three times within it.
    private let timeToLive: Int64
    /// The key of a name.
    private let key: @Sendable (_ id: String) -> Data
    private let holding = Locked<Holding?>(nil)

    init(gateway: EtcdGateway, timeToLive: Int64, key: @escaping @Sendable (_ id: String) -> Data) {
        self.gateway = gateway
        self.timeToLive = timeToLive
        self.key = key
    }

    /// The owner's identifier; nil while this process has none.
    var id: String? { held?.id }

    private var held: (id: String, lease: Int64)? {
        holding.withLock { holding in
            guard let held = holding, ContinuousClock.now < held.end else { return nil }
            return (held.id, held.lease)
        }
    }

    /// Returns the owner's identifier; creates one if this process has none.
    func take() async throws(TemplateStoreError) -> String { try await hold().id }

    /// Returns the owner's identifier with its lease; creates one if this process has none.
    func hold() async throws(TemplateStoreError) -> (id: String, lease: Int64) {
        if let held { return held }
        await resign()
        let id = UUID().uuidString.lowercased()
        let start = ContinuousClock.now
        do throws(EtcdFailure) {
            let lease = try await gateway.grantLease(seconds: timeToLive)
            let put = EtcdTransaction(success: [.put(key(id), Data(), lease: lease)])
            let _: EtcdTransactionAnswer = try await gateway.call("/v3/kv/txn", put)
            let renewal = Task { [weak self] in
                while !Task.isCancelled, let self, await self.renew(lease) {
                    try? await Task.sleep(for: .seconds(self.timeToLive) / 3)
                }
            }
            holding.withLock {
                $0 = Holding(
                    id: id, lease: lease, end: start + .seconds(self.timeToLive) - Self.margin,
                    renewal: renewal)
            }
            return (id, lease)
        } catch {
            throw TemplateStoreError(error)
        }
    }

    /// Gives up the identifier, and all claims with it.
    func resign() async {
        let held = holding.withLock { holding -> Holding? in
            defer { holding = nil }
            return holding
        }
        guard let held else { return }
        held.renewal.cancel()
        guard let body = try? EtcdGateway.encoded(EtcdLeaseID(id: held.lease)) else { return }
        let _: EtcdEmptyAnswer? = try? await gateway.attempt("/v3/lease/revoke", body)
    }

    /// Renews the lease; false when it has ended.
    private func renew(_ lease: Int64) async -> Bool {
        let start = ContinuousClock.now
        guard let body = try? EtcdGateway.encoded(EtcdLeaseID(id: lease)) else { return false }
        let answer: EtcdKeepAliveAnswer? = try? await gateway.attempt("/v3/lease/keepalive", body)
        // Without a response, the next attempt may still be in time.
        guard let answer else { return true }
        let isAlive = answer.result.timeToLive > 0
        holding.withLock { holding in
            guard holding?.lease == lease else { return }
            if isAlive {
                holding?.end = start + .seconds(self.timeToLive) - Self.margin
            } else {
                holding = nil
            }
        }
        return isAlive
    }
}
