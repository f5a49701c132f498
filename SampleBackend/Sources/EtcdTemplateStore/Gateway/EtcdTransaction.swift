import Foundation

/// An operation of a transaction.
enum EtcdOperation: Encodable, Sendable {
    /// Stores a value; it expires with the lease, unless that is 0.
    case put(Data, Data, lease: Int64 = 0)
    /// Keeps the value of an existing key, and detaches the key from its lease.
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
    /// A key has this value.
    case value(Data, Data)
    /// A key exists.
    case exists(Data)

    private enum CodingKeys: String, CodingKey {
        case key, target, result, value
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
        case .value(let key, let value):
            try container.encode(key, forKey: .key)
            try container.encode("VALUE", forKey: .target)
            try container.encode("EQUAL", forKey: .result)
            try container.encode(value, forKey: .value)
        case .exists(let key):
            try container.encode(key, forKey: .key)
            try container.encode("CREATE", forKey: .target)
            try container.encode("GREATER", forKey: .result)
            try container.encode("0", forKey: .createRevision)
        }
    }
}

/// Operations to execute if all conditions hold, or others if one does not.
struct EtcdTransaction: Encodable, Sendable {
    /// Maximum number of operations with a member's default settings (`--max-txn-ops`).
    static let mostSteps = 128

    var compare: [EtcdComparison] = []
    var success: [EtcdOperation] = []
    var failure: [EtcdOperation] = []
}

/// The result of a transaction.
struct EtcdTransactionAnswer: EtcdAnswer {
    static let hasHeader = true

    let header: EtcdHeader?
    let succeeded: Bool
    /// The keys that each operation read; empty for operations that wrote.
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

    /// The keys that an operation read; empty when there are none.
    func keyValues(_ step: Int) -> [EtcdKeyValue] {
        ranges.indices.contains(step) ? ranges[step]?.keyValues ?? [] : []
    }
}
