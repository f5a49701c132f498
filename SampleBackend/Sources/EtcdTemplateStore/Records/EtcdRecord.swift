import Foundation
import TemplateStore

/// A value in etcd, as JSON text.
protocol EtcdRecord: Codable, Sendable {
    /// False when a number is outside the range that this program stores.
    var isInRange: Bool { get }
}

extension EtcdRecord {
    var isInRange: Bool { true }

    init(decoding keyValue: EtcdKeyValue) throws(TemplateStoreError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: keyValue.value)
        } catch {
            throw .damagedRecord(keyValue.key, error)
        }
        guard isInRange else { throw .damagedRecord(keyValue.key) }
    }

    /// - Throws: ``TemplateStoreError`` for numbers that could not be read back.
    func encoded() throws(TemplateStoreError) -> Data {
        guard isInRange else {
            throw TemplateStoreError(
                .outOfSpace,
                "The numbers of versions or changes are exhausted, so nothing was stored: "
                    + "publish in another project, or in a new store.",
                clientMessage:
                    "The numbers of versions or changes are exhausted, so nothing was stored: "
                    + "publish in another project, or in a new store.")
        }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        } catch {
            throw TemplateStoreError(
                .unavailable, "A record for etcd cannot be written.", underlyingError: error)
        }
    }
}

/// A time in a record: milliseconds since 1970, limited to about 30,000 years around it.
struct RecordDate: Codable, Sendable, Hashable {
    let milliseconds: Int64

    var date: Date { Date(millisecondsSince1970: milliseconds) }

    init(_ date: Date) { milliseconds = date.millisecondsSince1970 }

    init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
        guard milliseconds == date.millisecondsSince1970 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath, debugDescription: "\(milliseconds) is no time"))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
