public import Foundation
public import TemplateStore

extension EtcdTemplateStore: ReplicaStoring {
    /// True while this process has a lease for its announcements.
    public var isAnnounced: Bool { replica.id != nil }

    /// Stores a content under the lease of this process.
    public func announce(_ content: Data, as name: String) async throws(TemplateStoreError) {
        _ = try await identity()
        let (id, lease) = try await replica.hold()
        do throws(EtcdFailure) {
            let put = EtcdTransaction(success: [.put(keys.replica(id, name), content, lease: lease)]
            )
            let _: EtcdTransactionAnswer = try await gateway.call("/v3/kv/txn", put)
        } catch {
            if error.kind == .leaseMissing { await replica.resign() }
            throw TemplateStoreError(error)
        }
    }

    /// The contents of all processes whose lease has not ended; a process is silent when it has not renewed
    /// its lease in time.
    public func announcements() async throws(TemplateStoreError) -> [ReplicaAnnouncement] {
        let found = try await read(EtcdRange(keys: keys.replicas))
        var contents: [String: [String: Data]] = [:]
        var leases: [String: Int64] = [:]
        for keyValue in found.keyValues {
            guard let names = keys.names(in: keyValue.key), names.count == 2 else { continue }
            leases[names[0]] = keyValue.lease
            // The key of the process itself has no name.
            if !names[1].isEmpty { contents[names[0], default: [:]][names[1]] = keyValue.value }
        }
        let own = replica.id
        var announcements: [ReplicaAnnouncement] = []
        for (id, lease) in leases.sorted(by: { $0.key < $1.key }) {
            let status: EtcdLeaseStatus
            do throws(EtcdFailure) {
                status = try await gateway.call("/v3/lease/timetolive", EtcdLeaseID(id: lease))
            } catch {
                throw TemplateStoreError(error)
            }
            // It has ended since the keys were read.
            guard status.remaining >= 0 else { continue }
            announcements.append(
                ReplicaAnnouncement(
                    replica: id, isOwn: id == own,
                    // A lease is renewed when two thirds of it are left.
                    isSilent: status.remaining * 2 < status.granted,
                    contents: contents[id] ?? [:]))
        }
        return announcements
    }

    /// The revision of the last change.
    public func newestRevision() async throws(TemplateStoreError) -> StoreRevision {
        let reading = try await read([])
        return reading.change?.subject == nil ? .zero : StoreRevision(reading.changeRevision)
    }
}
