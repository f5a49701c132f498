import Foundation
import Targeting

/// A table of rendered documents by the results of the conditions, with bounded memory.
///
/// It has two generations. What is used goes to the young one; when that has half of the memory it
/// becomes the old one, and what was old and not used since is dropped.
final class RenderCache: @unchecked Sendable {  // All state is behind the lock.
    /// The most bytes of documents that are kept.
    private let maximumBytes: Int

    private let lock = NSLock()

    /// The documents used lately, and those used before.
    private var young: [ConditionResults: RenderedPieces] = [:]
    private var old: [ConditionResults: RenderedPieces] = [:]

    /// The bytes of the young documents.
    private var youngBytes = 0

    /// What an entry costs beyond its document, about.
    private static let entryBytes = 256

    /// Makes an empty cache.
    ///
    /// - Parameter maximumBytes: The most bytes of documents that are kept.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The document for some results, or nil when it is not kept.
    func pieces(for results: ConditionResults) -> RenderedPieces? {
        lock.withLock {
            if let pieces = young[results] { return pieces }
            guard let pieces = old[results] else { return nil }
            insert(pieces, for: results)
            return pieces
        }
    }

    /// Keeps a document.
    func keep(_ pieces: RenderedPieces, for results: ConditionResults) {
        lock.withLock { insert(pieces, for: results) }
    }

    /// The bytes that are kept, about.
    var bytes: Int {
        lock.withLock {
            youngBytes + old.values.reduce(0) { $0 + $1.byteCount + Self.entryBytes }
        }
    }

    /// Puts a document among the young ones.
    private func insert(_ pieces: RenderedPieces, for results: ConditionResults) {
        let bytes = pieces.byteCount + Self.entryBytes
        if youngBytes + bytes > maximumBytes / 2 {
            old = young
            young = [:]
            youngBytes = 0
        }
        guard bytes <= maximumBytes / 2 else { return }
        if young.updateValue(pieces, forKey: results) == nil { youngBytes += bytes }
    }
}
