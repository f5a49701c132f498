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
        revision = try container.revision(forKey: .revision)
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
        createRevision = try container.revision(forKey: .createRevision)
        modRevision = try container.revision(forKey: .modRevision)
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
        count = try container.number(forKey: .count, in: 0...Int.max / 2)
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

/// An answer without any field that is used.
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

    /// A revision, to which numbers can be added; 0 when it is left out.
    func revision(forKey key: Key) throws -> Int64 {
        try number(forKey: key, in: 0...Int64.max / 2)
    }

    private func noNumber(_ text: String, forKey key: Key) -> DecodingError {
        .dataCorruptedError(
            forKey: key, in: self, debugDescription: "\(text.prefix(40)) is no such number")
    }
}
