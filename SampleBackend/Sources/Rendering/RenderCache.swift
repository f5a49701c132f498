import NIOConcurrencyHelpers
import Targeting

/// A table of rendered documents by the results of the conditions, with bounded memory.
///
/// It has two generations. A document that is used moves to the young one; when that fills half of
/// the memory it becomes the old one, and documents of the previous old one that were not used
/// since are dropped.
final class RenderCache: Sendable {
    /// The most memory that the documents take, in bytes.
    private let maximumBytes: Int

    private struct State: Sendable {
        var young = Generation()
        /// Documents that were last used in the previous generation.
        var old = Generation()
    }

    /// A table of documents, with the memory that it takes.
    private struct Generation: Sendable {
        private(set) var documents: [ConditionResults: RenderedPieces] = [:]

        /// Memory of the documents, beyond their places in the table.
        private var documentBytes = 0

        /// Approximate memory in bytes.
        var bytes: Int { documentBytes + Self.tableBytes(documents.count) }

        /// Approximate memory in bytes, once it has another document, of `bytes`.
        func bytes(adding bytes: Int) -> Int {
            documentBytes + bytes + Self.tableBytes(documents.count + 1)
        }

        mutating func insert(
            _ pieces: RenderedPieces, of bytes: Int, for results: ConditionResults
        ) {
            if documents.updateValue(pieces, forKey: results) == nil { documentBytes += bytes }
        }

        /// Approximate memory of a document in bytes, beyond its place in the table.
        static func bytes(_ pieces: RenderedPieces, _ results: ConditionResults) -> Int {
            // The results of the first 256 conditions are in the table.
            pieces.allocatedBytes + max(results.count / 8 - 32, 0)
        }

        /// A table has a power of two of places, and uses three quarters of them at most.
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
