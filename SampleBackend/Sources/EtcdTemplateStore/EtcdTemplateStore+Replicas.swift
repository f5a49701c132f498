public import Foundation
public import TemplateStore

extension EtcdTemplateStore: ReplicaStoring {
    /// Maximum number of concurrent lease queries: the connections that a client keeps to a member.
    private static let leasesAtOnce = 8

    /// The identifier under which this process has a lease for its announcements.
    public var announcedReplica: String? { replica.id }

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

    /// The contents of all processes whose lease is valid; a process is silent if it has not
    /// renewed its lease in time.
    public func announcements() async throws(TemplateStoreError) -> [ReplicaAnnouncement] {
        let found = try await read(EtcdRange(keys: keys.replicas))
        var contents: [String: [String: Data]] = [:]  // names: keys of our own
        var leases: [String: Int64] = [:]  // names: keys of our own
        for keyValue in found.keyValues {
            guard let names = keys.names(in: keyValue.key), names.count == 2 else { continue }
            leases[names[0]] = keyValue.lease
            // The process's own key has no name.
            if !names[1].isEmpty { contents[names[0], default: [:]][names[1]] = keyValue.value }
        }
        let own = replica.id
        var announcements: [ReplicaAnnouncement] = []
        // A lease may have ended after the keys were read.
        for (id, status) in try await statuses(ofLeases: leases).sorted(by: { $0.key < $1.key })
        where status.remaining >= 0 {
            announcements.append(
                ReplicaAnnouncement(
                    replica: id, isOwn: id == own,
                    // A process renews its lease when two thirds of it are left.
                    isSilent: status.remaining * 2 < status.granted,
                    contents: contents[id] ?? [:]))
        }
        return announcements
    }

    /// The statuses of leases by process, queried in parallel, since members can be far away.
    private func statuses(
        ofLeases leases: [String: Int64]
    ) async throws(TemplateStoreError) -> [String: EtcdLeaseStatus] {
        typealias Answer = (id: String, status: Result<EtcdLeaseStatus, EtcdFailure>)
        let answers = await withTaskGroup(of: Answer.self) { [gateway] group in
            var answers: [Answer] = []
            for (number, (id, lease)) in leases.enumerated() {
                if number >= Self.leasesAtOnce, let answer = await group.next() {
                    answers.append(answer)
                }
                group.addTask {
                    do throws(EtcdFailure) {
                        let status: EtcdLeaseStatus = try await gateway.call(
                            "/v3/lease/timetolive", EtcdLeaseID(id: lease))
                        return (id, .success(status))
                    } catch {
                        return (id, .failure(error))
                    }
                }
            }
            for await answer in group { answers.append(answer) }
            return answers
        }
        var statuses: [String: EtcdLeaseStatus] = [:]  // names: keys of our own
        for (id, status) in answers {
            do throws(EtcdFailure) {
                statuses[id] = try status.get()
            } catch {
                throw TemplateStoreError(error)
            }
        }
        return statuses
    }

    /// The revision of the last change.
    public func newestRevision() async throws(TemplateStoreError) -> StoreRevision {
        let reading = try await read([])
        return reading.change?.subject == nil ? .zero : StoreRevision(reading.changeRevision)
    }
}
