import Foundation

// The requests and answers of etcd's JSON gateway, as far as the store uses them. 64-bit integers are
// strings, bytes are base64, and a field that is zero, false or empty is left out.

/// The part of every answer that names the cluster, the member and the revision.
struct EtcdHeader: Decodable, Sendable {
    let clusterID: UInt64
    let memberID: UInt64
    /// The revision of the store at the member; that of a transaction if it wrote.
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
        revision = try container.number(forKey: .revision)
    }
}

/// A key with its value and the revisions of its changes.
struct EtcdKeyValue: Decodable, Sendable {
    let key: Data
    let value: Data
    let createRevision: Int64
    let modRevision: Int64
    /// 0 for none.
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
        createRevision = try container.number(forKey: .createRevision)
        modRevision = try container.number(forKey: .modRevision)
        lease = try container.number(forKey: .lease)
    }
}

/// Keys that are read or removed together: one key, or all from `start` to before `end`.
struct EtcdKeySpan: Sendable, Hashable {
    let start: Data
    /// Nil for the one key `start`.
    var end: Data?

    static func key(_ key: Data) -> EtcdKeySpan { EtcdKeySpan(start: key) }

    /// All keys that begin with a text, which ends with a slash.
    static func prefix(_ prefix: String) -> EtcdKeySpan {
        // The character after the slash.
        EtcdKeySpan(start: Data(prefix.utf8), end: Data(prefix.utf8.dropLast()) + Data("0".utf8))
    }
}

/// A read of a key or a range of keys.
struct EtcdRange: Encodable, Sendable {
    /// The part of the keys that the answer has.
    enum Part: Sendable {
        case keysAndValues, keys, count
    }

    var keys: EtcdKeySpan
    var part = Part.keysAndValues
    /// The most keys of the answer; 0 for all.
    var limit = 0
    /// The revision of the store that is read; nil for the newest.
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

/// The keys that a range has.
struct EtcdRangeAnswer: EtcdAnswer {
    static let hasHeader = true

    /// Nil in the answer of a transaction.
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
        count = try container.number(forKey: .count)
    }
}

/// A step of a transaction.
enum EtcdOperation: Encodable, Sendable {
    /// Stores a value; it goes away with the lease, unless that is 0.
    case put(Data, Data, lease: Int64 = 0)
    /// Keeps the value of a key that exists, and detaches it from its lease.
    case keep(Data)
    case range(EtcdRange)
    case delete(EtcdKeySpan)

    private enum CodingKeys: String, CodingKey {
        case put = "request_put"
        case range = "request_range"
        case delete = "request_delete_range"
    }

    private enum FieldKeys: String, CodingKey {
        case key, value, lease
        case rangeEnd = "range_end"
        case ignoreValue = "ignore_value"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .put(let key, let value, let lease):
            var fields = container.nestedContainer(keyedBy: FieldKeys.self, forKey: .put)
            try fields.encode(key, forKey: .key)
            try fields.encode(value, forKey: .value)
            if lease != 0 { try fields.encode(String(lease), forKey: .lease) }
        case .keep(let key):
            var fields = container.nestedContainer(keyedBy: FieldKeys.self, forKey: .put)
            try fields.encode(key, forKey: .key)
            try fields.encode(true, forKey: .ignoreValue)
        case .range(let range): try container.encode(range, forKey: .range)
        case .delete(let keys):
            var fields = container.nestedContainer(keyedBy: FieldKeys.self, forKey: .delete)
            try fields.encode(keys.start, forKey: .key)
            try fields.encodeIfPresent(keys.end, forKey: .rangeEnd)
        }
    }
}

/// A condition of a transaction.
enum EtcdComparison: Encodable, Sendable {
    /// The last change of a key was at this revision; 0 for a key that does not exist.
    case modified(Data, at: Int64)
    /// A key exists.
    case exists(Data)

    private enum CodingKeys: String, CodingKey {
        case key, target, result
        case modRevision = "mod_revision"
        case createRevision = "create_revision"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .modified(let key, let revision):
            try container.encode(key, forKey: .key)
            try container.encode("MOD", forKey: .target)
            try container.encode("EQUAL", forKey: .result)
            try container.encode(String(revision), forKey: .modRevision)
        case .exists(let key):
            try container.encode(key, forKey: .key)
            try container.encode("CREATE", forKey: .target)
            try container.encode("GREATER", forKey: .result)
            try container.encode("0", forKey: .createRevision)
        }
    }
}

/// Steps that are made when all conditions hold, or others when one does not.
struct EtcdTransaction: Encodable, Sendable {
    var compare: [EtcdComparison] = []
    var success: [EtcdOperation] = []
    var failure: [EtcdOperation] = []
}

/// The result of a transaction.
struct EtcdTransactionAnswer: EtcdAnswer {
    static let hasHeader = true

    let header: EtcdHeader?
    let succeeded: Bool
    /// The keys that each step read; empty for steps that wrote.
    let ranges: [EtcdRangeAnswer?]

    private enum CodingKeys: String, CodingKey {
        case header, succeeded, responses
    }

    private struct Response: Decodable {
        let range: EtcdRangeAnswer?

        private enum CodingKeys: String, CodingKey {
            case range = "response_range"
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header)
        succeeded = try container.decodeIfPresent(Bool.self, forKey: .succeeded) ?? false
        let responses = try container.decodeIfPresent([Response].self, forKey: .responses) ?? []
        ranges = responses.map(\.range)
    }

    /// The keys that a step read; empty when it has none.
    func keyValues(_ step: Int) -> [EtcdKeyValue] {
        ranges.indices.contains(step) ? ranges[step]?.keyValues ?? [] : []
    }
}

/// An answer of the gateway.
protocol EtcdAnswer: Decodable, Sendable {
    /// The header of a linearizable read or a write, whose revision never decreases; nil for all other
    /// answers, which have the revision of the member.
    var header: EtcdHeader? { get }
    /// True for answers that always have such a header.
    static var hasHeader: Bool { get }
}

extension EtcdAnswer {
    var header: EtcdHeader? { nil }
    static var hasHeader: Bool { false }
}

/// A request to create a lease, or its answer.
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

/// The answer that renews a lease; it expired when its time to live is 0.
struct EtcdKeepAliveAnswer: EtcdAnswer {
    let result: EtcdLeaseGrant
}

/// An answer of which nothing is read.
struct EtcdEmptyAnswer: EtcdAnswer {}

/// The body of an error, before and in a stream.
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
    /// An integer that is a string or a number; 0 when it is left out.
    func number<Number: FixedWidthInteger & Decodable>(forKey key: Key) throws -> Number {
        if let text = try? decodeIfPresent(String.self, forKey: key) {
            guard let number = Number(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: self, debugDescription: "\(text.prefix(40)) is no integer")
            }
            return number
        }
        return try decodeIfPresent(Number.self, forKey: key) ?? 0
    }
}
