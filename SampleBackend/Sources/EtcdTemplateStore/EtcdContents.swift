import Foundation
import TemplateStore

/// A content whose reference a transaction can store.
struct PreparedContent: Sendable {
    let reference: ContentReference
    /// The operations of the transaction that store the parts.
    let operations: [EtcdOperation]
    /// Conditions that the parts still exist.
    let guards: [EtcdComparison]
    /// The lease of the stored parts; nil when the transaction stores the parts.
    fileprivate let lease: Int64?
}

/// Texts of any size, in immutable parts.
extension EtcdTemplateStore {
    /// Maximum size of a content inside a transaction, in bytes; etcd accepts requests of 1.5 MB.
    static let mostInTransaction = 500_000

    /// Maximum size of a part, in bytes.
    private static let partSize = 1_000_000

    /// Time to live of parts that no transaction has adopted, in seconds; longer than the settling
    /// time of a write.
    private static let partsTimeToLive: Int64 = 900

    /// Stores a content for a transaction if it is too large to be part of it.
    ///
    /// Parts that no transaction adopts expire with their lease.
    func prepare(_ content: Data) async throws(TemplateStoreError) -> PreparedContent {
        let id = UUID().uuidString.lowercased()
        if content.count <= Self.mostInTransaction {
            return PreparedContent(
                reference: ContentReference(id: id, parts: 1, size: content.count),
                operations: [.put(keys.content(id, part: 0), content)], guards: [], lease: nil)
        }
        if isClosed { throw .closed }
        let starts = Array(stride(from: 0, to: content.count, by: Self.partSize))
        let reference = ContentReference(id: id, parts: starts.count, size: content.count)
        let parts = starts.indices.map { keys.content(id, part: $0) }
        do throws(EtcdFailure) {
            let lease = try await gateway.grantLease(seconds: Self.partsTimeToLive)
            for (key, start) in zip(parts, starts) {
                let part = content.dropFirst(start).prefix(Self.partSize)
                let put = EtcdTransaction(success: [.put(key, Data(part), lease: lease)])
                let _: EtcdTransactionAnswer = try await gateway.call("/v3/kv/txn", put)
            }
            return PreparedContent(
                reference: reference, operations: parts.map { .keep($0) },
                guards: parts.map { .exists($0) }, lease: lease)
        } catch {
            if isClosed { throw .closed }
            throw TemplateStoreError(error)
        }
    }

    /// Executes a write that stores a content, and removes its parts if the write fails.
    func writing<Result>(
        _ content: Data,
        _ write: (PreparedContent) async throws(TemplateStoreError) -> Result
    ) async throws(TemplateStoreError) -> Result {
        let prepared = try await prepare(content)
        do {
            let result = try await write(prepared)
            await drop(prepared)
            return result
        } catch {
            // With an unknown outcome, the transaction may still need the parts.
            if error.code != .outcomeUnknown { await drop(prepared) }
            throw error
        }
    }

    /// Ends the lease of parts; adopted parts are no longer attached to it.
    private func drop(_ content: PreparedContent) async {
        guard let lease = content.lease, let body = try? EtcdGateway.encoded(EtcdLeaseID(id: lease))
        else { return }
        let _: EtcdEmptyAnswer? = try? await gateway.attempt("/v3/lease/revoke", body)
    }

    /// Reads a content; nil if it no longer exists, as after its version was dropped.
    func content(
        _ reference: ContentReference, at revision: Int64? = nil
    ) async throws(EtcdFailure) -> Data? {
        let parts = try await readAll(keys.content(reference.id), at: revision, pageSize: 4)
        let content = parts.reduce(into: Data()) { $0 += $1.value }
        return reference.isWhole(content, parts: parts.count) ? content : nil
    }
}

extension EtcdGateway {
    /// Creates a lease; repeated requests create it only once.
    func grantLease(seconds: Int64) async throws(EtcdFailure) -> Int64 {
        let id = Int64.random(in: 1...Int64.max)
        do {
            let granted: EtcdLeaseGrant = try await call(
                "/v3/lease/grant", EtcdLeaseGrant(id: id, timeToLive: seconds))
            return granted.id
        } catch  where error.kind == .leaseExists {
            return id
        }
    }
}
