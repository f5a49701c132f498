import AsyncHTTPClient
import Foundation
import NIOCore
import TemplateStore

/// A request to watch a key from a revision.
struct EtcdWatchRequest: Encodable, Sendable {
    private struct Creation: Encodable, Sendable {
        let key: Data
        let startRevision: String
        // Large events arrive in pieces, and an idle watch sends a line from time to time.
        let fragment = true
        let progressNotify = true

        private enum CodingKeys: String, CodingKey {
            case key, fragment
            case startRevision = "start_revision"
            case progressNotify = "progress_notify"
        }
    }

    private let creation: Creation

    private enum CodingKeys: String, CodingKey {
        case creation = "create_request"
    }

    init(key: Data, from revision: Int64) {
        creation = Creation(key: key, startRevision: String(revision))
    }
}

/// A line of a watch.
struct EtcdWatchLine: Decodable, Sendable {
    struct Event: Decodable, Sendable {
        let keyValue: EtcdKeyValue
        let isRemoval: Bool

        private enum CodingKeys: String, CodingKey {
            case keyValue = "kv"
            case type
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            keyValue = try container.decode(EtcdKeyValue.self, forKey: .keyValue)
            isRemoval = try container.decodeIfPresent(String.self, forKey: .type) == "DELETE"
        }
    }

    let events: [Event]
    let isCanceled: Bool
    /// The revision up to which the history was compacted, if that cancelled the watch; else 0.
    let compactRevision: Int64
    let cancelReason: String?

    private enum CodingKeys: String, CodingKey {
        case result, events, canceled
        case compactRevision = "compact_revision"
        case cancelReason = "cancel_reason"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: CodingKeys.self, forKey: .result)
        events = try container.decodeIfPresent([Event].self, forKey: .events) ?? []
        isCanceled = try container.decodeIfPresent(Bool.self, forKey: .canceled) ?? false
        compactRevision = try container.revision(forKey: .compactRevision)
        cancelReason = try container.decodeIfPresent(String.self, forKey: .cancelReason)
    }
}

/// The lines of an open watch, for one reader.
///
/// They end with an error, or when the member closes the connection. Deallocation ends the watch.
final class EtcdWatchLines: @unchecked Sendable {  // Read by one task at a time.
    /// Maximum size of a line, in bytes.
    private static let mostBytes = 8 << 20

    private var body: HTTPClientResponse.Body.AsyncIterator
    private var buffer = Data()

    init(_ body: HTTPClientResponse.Body) { self.body = body.makeAsyncIterator() }

    /// The next line; nil at the end.
    @concurrent func next() async throws(EtcdFailure) -> EtcdWatchLine? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(buffer[buffer.startIndex..<end])
                buffer = Data(buffer[(end + 1)...])
                return try Self.parsed(line)
            }
            guard buffer.count <= Self.mostBytes else {
                throw EtcdFailure(.unknown, "a line of a watch is too long")
            }
            let piece: ByteBuffer?
            do {
                piece = try await body.next()
            } catch {
                let isSilent = (error as? HTTPClientError) == .readTimeout
                throw EtcdFailure(
                    .unknown,
                    isSilent ? "a watch was silent for too long" : "a watch broke off (\(error))")
            }
            if let piece {
                buffer += Data(piece.readableBytesView)
            } else if buffer.isEmpty {
                return nil
            } else {
                // An error at the end has no trailing newline.
                defer { buffer = Data() }
                return try Self.parsed(buffer)
            }
        }
    }

    private static func parsed(_ line: Data) throws(EtcdFailure) -> EtcdWatchLine {
        if let line = try? JSONDecoder().decode(EtcdWatchLine.self, from: line) { return line }
        if let error = try? JSONDecoder().decode(EtcdErrorBody.self, from: line) {
            throw EtcdFailure(error)
        }
        throw EtcdFailure(
            .unknown,
            "a watch has a line that cannot be read: "
                + String(decoding: line.prefix(200), as: UTF8.self))
    }
}
