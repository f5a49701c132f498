import Foundation
package import TemplateStore

/// The state of a cluster, its members and a store in it, as reported by the members.
package struct EtcdStatus: Sendable {
    /// The state of one member.
    package struct Member: Sendable {
        package let id: UInt64
        package let clusterID: UInt64
        package let version: String
        /// The identifier of the leader; 0 when the member knows none.
        package let leader: UInt64
        /// Size of the member's database and of the used part, in bytes.
        package let (size, sizeInUse): (Int64, Int64)
        /// Errors that the member reports, such as an alarm.
        package let complaints: [String]
        /// Quota of the database in bytes; nil when the member does not report it.
        package var quota: Int64?
        /// Revision up to which the history was compacted, or 0; nil when the member does not
        /// report it.
        package var compactRevision: Int64?
        /// The command line, possibly incomplete; nil when the member does not report it.
        package var commandLine: [String]?
    }

    /// The store under the prefix.
    package struct Store: Sendable {
        package let id: String
        package let schema: Int
        package let isIncomplete: Bool
        /// The number of keys.
        package let keyCount: Int
        /// The number of changes.
        package let changeCount: Int
    }

    /// The members by address, in the order of the location; an error for those that do not
    /// respond.
    package let members: [(address: String, answer: Result<Member, any Error>)]
    /// The number of members in the cluster; nil when it is unknown.
    package let memberCount: Int?
    /// Addresses of members of the cluster that the location does not name.
    package let otherAddresses: [String]
    /// The names of the active alarms; nil when they are unknown.
    package let alarms: Set<String>?  // names: our own literals, in ASCII
    /// The store, or nil if there is none; an error when it cannot be read.
    package let store: Result<Store?, TemplateStoreError>
    /// The duration of a linearizable read.
    package let readTime: Result<Duration, TemplateStoreError>
    /// The duration of a write by the quorum.
    package let writeTime: Result<Duration, TemplateStoreError>

    /// True when a member knows a leader, which needs the majority of the members.
    package var hasLeader: Bool {
        members.contains { ((try? $0.answer.get())?.leader ?? 0) != 0 }
    }

    /// Queries all members, and stores only a lease of two seconds.
    ///
    /// Takes a few seconds at most, also without a majority.
    ///
    /// - Throws: ``TemplateStoreError`` when a file of the location cannot be read.
    package init(_ location: EtcdLocation) async throws(TemplateStoreError) {
        var limits = EtcdGateway.TimeLimits()
        (limits.read, limits.write) = (.seconds(2), .seconds(2))
        let gateway = try EtcdGateway(location, limits: limits)
        var members = await Self.members(of: gateway)
        let list = await Self.memberList(of: gateway)
        memberCount = list?.members.count
        otherAddresses =
            list?.members.filter { member in
                let addresses = member.clientURLs ?? []
                return !addresses.isEmpty && addresses.allSatisfy { !location.members.contains($0) }
            }.compactMap(\.clientURLs?.first) ?? []
        let keys = EtcdKeys(prefix: location.prefix)
        store = await Self.store(below: keys, at: gateway)
        if case .failure(let error) = store, error.code == .unavailable {
            // A member may have named a leader that was lost just before.
            members = await Self.members(of: gateway)
            alarms = nil
            (readTime, writeTime) = (.failure(error), .failure(error))
        } else {
            let alarms: EtcdAlarms? = try? await gateway.call(
                "/v3/maintenance/alarm", ["action": "GET"])
            self.alarms = alarms.map { Set($0.alarms.compactMap(\.alarm)) }
            readTime = await Self.time {
                let _: EtcdRangeAnswer = try await gateway.call(
                    "/v3/kv/range", EtcdRange(keys: .key(keys.store)))
            }
            writeTime = await Self.time {
                let lease = try await gateway.grantLease(seconds: 2)
                // Otherwise the lease expires by itself.
                if let body = try? EtcdGateway.encoded(EtcdLeaseID(id: lease)) {
                    let _: EtcdEmptyAnswer? = try? await gateway.attempt("/v3/lease/revoke", body)
                }
            }
        }
        self.members = members
        await gateway.close()
    }

    private static func members(
        of gateway: EtcdGateway
    ) async -> [(address: String, answer: Result<Member, any Error>)] {
        let answers = await gateway.eachMember(
            "/v3/maintenance/status", Data("{}".utf8), as: Member.self)
        var members: [(address: String, answer: Result<Member, any Error>)] = []
        for (index, (address, answer)) in answers.enumerated() {
            switch answer {
            case .failure(let error): members.append((address, .failure(error)))
            case .success(var member):
                await member.addPages(of: gateway, at: index)
                members.append((address, .success(member)))
            }
        }
        return members
    }

    /// The members as one of them knows them; nil when none responds.
    private static func memberList(of gateway: EtcdGateway) async -> MemberList? {
        // Since etcd 3.5 the list is linearizable by default, which needs a majority. Earlier
        // versions refuse the field.
        for body in [#"{"linearizable":false}"#, "{}"] {
            let answers = await gateway.eachMember(
                "/v3/cluster/member/list", Data(body.utf8), as: MemberList.self)
            if let list = answers.lazy.compactMap({ try? $0.answer.get() }).first { return list }
        }
        return nil
    }

    private static func store(
        below keys: EtcdKeys, at gateway: EtcdGateway
    ) async -> Result<Store?, TemplateStoreError> {
        do {
            let answer: EtcdTransactionAnswer = try await gateway.call(
                "/v3/kv/txn",
                EtcdTransaction(success: [
                    .range(EtcdRange(keys: .key(keys.store))),
                    .range(EtcdRange(keys: .key(keys.change))),
                    .range(EtcdRange(keys: keys.all, part: .count)),
                ]))
            guard let found = answer.keyValues(0).first else { return .success(nil) }
            let record = try StoreRecord(decoding: found)
            let change = try answer.keyValues(1).first.map(ChangeRecord.init(decoding:))
            return .success(
                Store(
                    id: record.id, schema: record.schema,
                    isIncomplete: record.isIncomplete ?? false,
                    keyCount: answer.ranges.last??.count ?? 0, changeCount: change?.number ?? 0))
        } catch {
            return .failure(error as? TemplateStoreError ?? Self.storeError(error))
        }
    }

    private static func time(
        _ body: () async throws -> Void
    ) async -> Result<Duration, TemplateStoreError> {
        do {
            // The first run includes the time to connect.
            for _ in 0..<2 { try await body() }
            let start = ContinuousClock.now
            try await body()
            return .success(start.duration(to: .now))
        } catch {
            return .failure(Self.storeError(error))
        }
    }

    private static func storeError(_ error: any Error) -> TemplateStoreError {
        (error as? EtcdFailure).map { TemplateStoreError($0) }
            ?? TemplateStoreError(.unavailable, "etcd cannot be queried.", underlyingError: error)
    }
}

private struct MemberList: Decodable, Sendable {
    struct Member: Decodable, Sendable {
        let clientURLs: [String]?
    }

    let members: [Member]
}

extension EtcdStatus.Member: Decodable {
    /// More bytes than a database can have.
    private static let largest: Int64 = 1 << 50

    private enum CodingKeys: String, CodingKey {
        case header, version, leader, dbSize, dbSizeInUse, dbSizeQuota, errors
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let header = try container.decode(EtcdHeader.self, forKey: .header)
        (id, clusterID) = (header.memberID, header.clusterID)
        version = try container.decodeIfPresent(String.self, forKey: .version) ?? ""
        leader = try container.number(forKey: .leader)
        size = try container.number(forKey: .dbSize, in: 0...Self.largest)
        sizeInUse = try container.number(forKey: .dbSizeInUse, in: 0...Self.largest)
        complaints = try container.decodeIfPresent([String].self, forKey: .errors) ?? []
        // Reported since etcd 3.6.
        let quota: Int64 = try container.number(forKey: .dbSizeQuota)
        self.quota = quota > 0 ? quota : nil
    }

    /// Adds values from the member's metrics and its command line, if it exposes them.
    fileprivate mutating func addPages(of gateway: EtcdGateway, at index: Int) async {
        if let metrics = await gateway.page("/metrics", at: index) {
            let text = String(decoding: metrics, as: UTF8.self)
            // Zero or negative when the quota is disabled.
            quota =
                quota
                ?? Self.metric("etcd_server_quota_backend_bytes", in: text)
                .flatMap { $0 > 0 ? $0 : nil }
            compactRevision = Self.metric("etcd_debugging_mvcc_compact_revision", in: text)
                .map { max($0, 0) }
        }
        struct Variables: Decodable {
            let cmdline: [String]
        }
        if let page = await gateway.page("/debug/vars", at: index) {
            commandLine = try? JSONDecoder().decode(Variables.self, from: page).cmdline
        }
    }

    /// The value of a metric without labels.
    private static func metric(_ name: String, in text: String) -> Int64? {
        for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
            return Double(line.dropFirst(name.utf8.count + 1)).flatMap { Int64(exactly: $0) }
        }
        return nil
    }
}
