import Foundation

// The requests and responses of etcd's JSON gateway, limited to what the store uses. 64-bit
// integers are strings, bytes are Base64, and fields that are zero, false or empty are omitted.

/// The part of each response that identifies the cluster, the member and the revision.
struct EtcdHeader: Decodable, Sendable {
    let clusterID: UInt64
    let memberID: UInt64
    /// The revision of the store at the member, or of a transaction that wrote.
    let revision: Int64

    private enum CodingKeys: String, CodingKey {
        case clusterID = "cluster_id"
        case memberID = "member_id"
        case revision
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        clusterID = try container.number(forKey: .clusterID)
        memberID = try container.number(forKey: .memberID)
        revision = try container.revision(forKey: .revision)
    }
}

/// A key with its value and the revisions of its changes.
struct EtcdKeyValue: Decodable, Sendable {
    let key: Data
    let value: Data
    let createRevision: Int64
    let modRevision: Int64
    /// 0 means none.
    let lease: Int64

    private enum CodingKeys: String, CodingKey {
        case key, value, lease
        case createRevision = "create_revision"
        case modRevision = "mod_revision"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        key = try container.decodeIfPresent(Data.self, forKey: .key) ?? Data()
        value = try container.decodeIfPresent(Data.self, forKey: .value) ?? Data()
        createRevision = try container.revision(forKey: .createRevision)
        modRevision = try container.revision(forKey: .modRevision)
        lease = try container.number(forKey: .lease)
    }
}

/// Keys that are read or removed together: one key, or a half-open range of keys.
struct EtcdKeySpan: Sendable, Hashable {
    let start: Data
    /// Nil for the single key `start`.
    var end: Data?

    static func key(_ key: Data) -> EtcdKeySpan { EtcdKeySpan(start: key) }

    /// All keys with a prefix, which ends with a slash.
    static func prefix(_ prefix: String) -> EtcdKeySpan {
        // The character after the slash.
        EtcdKeySpan(start: Data(prefix.utf8), end: Data(prefix.utf8.dropLast()) + Data("0".utf8))
    }
}

/// A read of a key or a range of keys.
struct EtcdRange: Encodable, Sendable {
    /// The part of the keys in the response.
    enum Part: Sendable {
        case keysAndValues, keys, count
    }

    var keys: EtcdKeySpan
    var part = Part.keysAndValues
    /// Maximum number of keys in the response; 0 for all.
    var limit = 0
    /// The revision to read; nil for the newest.
    var revision: Int64?

    private enum CodingKeys: String, CodingKey {
        case key, limit, revision
        case rangeEnd = "range_end"
        case keysOnly = "keys_only"
        case countOnly = "count_only"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keys.start, forKey: .key)
        try container.encodeIfPresent(keys.end, forKey: .rangeEnd)
        if limit > 0 { try container.encode(limit, forKey: .limit) }
        try container.encodeIfPresent(revision, forKey: .revision)
        switch part {
        case .keysAndValues: break
        case .keys: try container.encode(true, forKey: .keysOnly)
        case .count: try container.encode(true, forKey: .countOnly)
        }
    }
}

/// The keys in a range.
struct EtcdRangeAnswer: EtcdAnswer {
    static let hasHeader = true

    /// Nil in the response to a transaction.
    let header: EtcdHeader?
    let keyValues: [EtcdKeyValue]
    let hasMore: Bool
    /// The number of all keys in the range.
    let count: Int

    private enum CodingKeys: String, CodingKey {
        case header, count
        case keyValues = "kvs"
        case hasMore = "more"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header)
        keyValues = try container.decodeIfPresent([EtcdKeyValue].self, forKey: .keyValues) ?? []
        hasMore = try container.decodeIfPresent(Bool.self, forKey: .hasMore) ?? false
        count = try container.number(forKey: .count, in: 0...Int.max / 2)
    }
}

/// A response of the gateway.
protocol EtcdAnswer: Decodable, Sendable {
    /// The header of a linearizable read or a write, whose revision never decreases; nil for other
    /// responses, which have the revision of the member.
    var header: EtcdHeader? { get }
    /// True for responses that always have such a header.
    static var hasHeader: Bool { get }
}

extension EtcdAnswer {
    var header: EtcdHeader? { nil }
    static var hasHeader: Bool { false }
}

/// The alarms of a cluster.
struct EtcdAlarms: EtcdAnswer {
    struct Alarm: Decodable, Sendable {
        /// `NOSPACE` or `CORRUPT`.
        let alarm: String?
    }

    let alarms: [Alarm]

    private enum CodingKeys: String, CodingKey {
        case alarms
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        alarms = try container.decodeIfPresent([Alarm].self, forKey: .alarms) ?? []
    }
}

/// A response without any used field.
struct EtcdEmptyAnswer: EtcdAnswer {}

/// The body of an error, before or in a stream.
struct EtcdErrorBody: Decodable, Sendable {
    let message: String
    /// The gRPC code.
    let code: Int

    private enum CodingKeys: String, CodingKey {
        case error, message, code
        case grpcCode = "grpc_code"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // In a stream, `error` is an object with the code and the message.
        if let nested = try? container.decode(EtcdErrorBody.self, forKey: .error) {
            self = nested
            return
        }
        message =
            try container.decodeIfPresent(String.self, forKey: .message)
            ?? container.decode(String.self, forKey: .error)
        code =
            try container.decodeIfPresent(Int.self, forKey: .code)
            ?? container.decode(Int.self, forKey: .grpcCode)
    }
}

extension KeyedDecodingContainer {
    /// An integer given as a string or a number; 0 when it is omitted.
    func number<Number: FixedWidthInteger & Decodable>(
        forKey key: Key, in range: ClosedRange<Number> = .min ... .max
    ) throws -> Number {
        let number: Number?
        if let text = try? decodeIfPresent(String.self, forKey: key) {
            guard let parsed = Number(text) else { throw noNumber(text, forKey: key) }
            number = parsed
        } else {
            number = try decodeIfPresent(Number.self, forKey: key)
        }
        guard let number else { return 0 }
        guard range.contains(number) else { throw noNumber("\(number)", forKey: key) }
        return number
    }

    /// A revision that leaves room for addition; 0 when it is omitted.
    func revision(forKey key: Key) throws -> Int64 {
        try number(forKey: key, in: 0...Int64.max / 2)
    }

    private func noNumber(_ text: String, forKey key: Key) -> DecodingError {
        .dataCorruptedError(
            forKey: key, in: self, debugDescription: "\(text.prefix(40)) is not such a number")
    }
}
