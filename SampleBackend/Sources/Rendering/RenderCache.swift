import NIOConcurrencyHelpers
import Targeting

/// A cache of rendered documents, keyed by the results of the conditions, with bounded memory.
///
/// It has two generations. A cache hit moves a document to the young one. When the young one fills
/// half of the memory, it replaces the old one, which drops the documents that were not used since.
final class RenderCache: Sendable {
    /// The memory limit for the documents, in bytes.
    private let maximumBytes: Int

    private struct State: Sendable {
        var young = Generation()
        /// Documents that were used before the last rotation.
        var old = Generation()
    }

    /// A table of documents with its size in memory.
    private struct Generation: Sendable {
        private(set) var documents: [ConditionResults: RenderedPieces] = [:]

        /// Memory of the documents, excluding their slots in the table.
        private var documentBytes = 0

        /// Approximate memory in bytes.
        var bytes: Int { documentBytes + Self.tableBytes(documents.count) }

        /// Approximate memory in bytes after a document of `bytes` is added.
        func bytes(adding bytes: Int) -> Int {
            documentBytes + bytes + Self.tableBytes(documents.count + 1)
        }

        mutating func insert(
            _ pieces: RenderedPieces, of bytes: Int, for results: ConditionResults
        ) {
            if documents.updateValue(pieces, forKey: results) == nil { documentBytes += bytes }
        }

        /// Approximate memory of a document in bytes, excluding its slot in the table.
        static func bytes(_ pieces: RenderedPieces, _ results: ConditionResults) -> Int {
            // The slot holds the results of the first 256 conditions inline.
            pieces.allocatedBytes + max(results.count / 8 - 32, 0)
        }

        /// A dictionary has a power-of-two number of slots and uses at most three quarters of them.
        private static func tableBytes(_ count: Int) -> Int {
            let fewest = (count * 4 + 2) / 3
            let places = 1 << (Int.bitWidth - max(fewest - 1, 0).leadingZeroBitCount)
            return places
                * (MemoryLayout<ConditionResults>.stride + MemoryLayout<RenderedPieces>.stride)
        }
    }

    private let state = NIOLockedValueBox(State())

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The document for the results; nil when it is not cached.
    func pieces(for results: ConditionResults) -> RenderedPieces? {
        state.withLockedValue { state in
            if let pieces = state.young.documents[results] { return pieces }
            guard let pieces = state.old.documents[results] else { return nil }
            insert(pieces, for: results, into: &state)
            return pieces
        }
    }

    func keep(_ pieces: RenderedPieces, for results: ConditionResults) {
        state.withLockedValue { insert(pieces, for: results, into: &$0) }
    }

    /// Approximate memory in bytes.
    var bytes: Int { state.withLockedValue { $0.young.bytes + $0.old.bytes } }

    /// Adds a document to the young generation.
    private func insert(
        _ pieces: RenderedPieces, for results: ConditionResults, into state: inout State
    ) {
        let bytes = Generation.bytes(pieces, results)
        if state.young.bytes(adding: bytes) > maximumBytes / 2 {
            state.old = state.young
            state.young = Generation()
        }
        guard state.young.bytes(adding: bytes) <= maximumBytes / 2 else { return }
        state.young.insert(pieces, of: bytes, for: results)
    }
}
