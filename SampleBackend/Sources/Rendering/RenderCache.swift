import NIOConcurrencyHelpers
import Targeting

/// A table of rendered documents by the results of the conditions, with bounded memory.
///
/// It has two generations. A document that is used moves to the young one; when that fills half of
/// the memory it becomes the old one, and documents of the previous old one that were not used
/// since are dropped.
final class RenderCache: Sendable {
    /// The most bytes of documents that are kept.
    private let maximumBytes: Int

    private struct State: Sendable {
        var young: [ConditionResults: RenderedPieces] = [:]
        /// Documents that were last used in the previous generation.
        var old: [ConditionResults: RenderedPieces] = [:]
        /// Bytes of the young documents, with their overhead.
        var youngBytes = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Rough overhead of an entry beyond its document.
    private static let entryBytes = 256

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The document for the results; nil when it is not cached.
    func pieces(for results: ConditionResults) -> RenderedPieces? {
        state.withLockedValue { state in
            if let pieces = state.young[results] { return pieces }
            guard let pieces = state.old[results] else { return nil }
            insert(pieces, for: results, into: &state)
            return pieces
        }
    }

    func keep(_ pieces: RenderedPieces, for results: ConditionResults) {
        state.withLockedValue { insert(pieces, for: results, into: &$0) }
    }

    /// Approximate number of cached bytes.
    var bytes: Int {
        state.withLockedValue { state in
            state.youngBytes
                + state.old.values.reduce(0) { $0 + $1.byteCount + Self.entryBytes }
        }
    }

    /// Adds a document to the young generation.
    private func insert(
        _ pieces: RenderedPieces, for results: ConditionResults, into state: inout State
    ) {
        let bytes = pieces.byteCount + Self.entryBytes
        if state.youngBytes + bytes > maximumBytes / 2 {
            state.old = state.young
            state.young = [:]
            state.youngBytes = 0
        }
        guard bytes <= maximumBytes / 2 else { return }
        if state.young.updateValue(pieces, forKey: results) == nil { state.youngBytes += bytes }
    }
}
