import NIOConcurrencyHelpers
import Targeting

/// A table of rendered documents by the results of the conditions, with bounded memory.
///
/// It has two generations. What is used goes to the young one; when that has half of the memory it
/// becomes the old one, and what was old and not used since is dropped.
final class RenderCache: Sendable {
    /// The most bytes of documents that are kept.
    private let maximumBytes: Int

    private struct State: Sendable {
        var young: [ConditionResults: RenderedPieces] = [:]
        /// The documents used before.
        var old: [ConditionResults: RenderedPieces] = [:]
        /// The bytes of the young documents.
        var youngBytes = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Rough overhead of an entry beyond its document.
    private static let entryBytes = 256

    /// Makes an empty cache.
    ///
    /// - Parameter maximumBytes: The most bytes of documents that are kept.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The document for some results, or nil when it is not kept.
    func pieces(for results: ConditionResults) -> RenderedPieces? {
        state.withLockedValue { state in
            if let pieces = state.young[results] { return pieces }
            guard let pieces = state.old[results] else { return nil }
            insert(pieces, for: results, into: &state)
            return pieces
        }
    }

    /// Keeps a document.
    func keep(_ pieces: RenderedPieces, for results: ConditionResults) {
        state.withLockedValue { insert(pieces, for: results, into: &$0) }
    }

    /// The bytes that are kept, about.
    var bytes: Int {
        state.withLockedValue { state in
            state.youngBytes
                + state.old.values.reduce(0) { $0 + $1.byteCount + Self.entryBytes }
        }
    }

    /// Puts a document among the young ones.
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
