import Foundation

/// A request to create a lease, or its response.
struct EtcdLeaseGrant: Codable, Sendable, EtcdAnswer {
    var id: Int64
    /// In seconds.
    var timeToLive: Int64

    private enum CodingKeys: String, CodingKey {
        case id = "ID"
        case timeToLive = "TTL"
    }

    init(id: Int64, timeToLive: Int64) {
        self.id = id
        self.timeToLive = timeToLive
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.number(forKey: .id)
        timeToLive = try container.number(forKey: .timeToLive)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(String(id), forKey: .id)
        try container.encode(String(timeToLive), forKey: .timeToLive)
    }
}

/// A request about a lease.
struct EtcdLeaseID: Encodable, Sendable {
    let id: Int64

    private enum CodingKeys: String, CodingKey {
        case id = "ID"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(String(id), forKey: .id)
    }
}

/// The response to a renewal; the lease has expired if its time to live is 0.
struct EtcdKeepAliveAnswer: EtcdAnswer {
    let result: EtcdLeaseGrant
}

/// The response with the remaining time of a lease, in seconds; negative when the lease has ended.
struct EtcdLeaseStatus: EtcdAnswer {
    let remaining: Int64
    let granted: Int64

    /// The longest lease that etcd grants.
    private static let most: Int64 = 9_000_000_000

    private enum CodingKeys: String, CodingKey {
        case remaining = "TTL"
        case granted = "grantedTTL"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        remaining = try container.number(forKey: .remaining, in: -1...Self.most)
        granted = try container.number(forKey: .granted, in: 0...Self.most)
    }
}
