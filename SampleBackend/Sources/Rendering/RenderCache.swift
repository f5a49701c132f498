import NIOConcurrencyHelpers
import Synchronization
import Targeting

/// A cache of rendered documents of any number of projects, with bounded memory.
///
/// It has two generations. A cache hit moves a document to the young one. When the young one fills
/// half of the memory, it replaces the old one, which drops the documents that were not used since,
/// such as those of earlier versions.
public final class RenderCache: Sendable {
    /// Identifies a document: a version of a project, and the results of its conditions.
    struct Key: Sendable, Hashable {
        let version: VersionID
        let results: ConditionResults
    }

    /// A number that no other version in the cache has.
    typealias VersionID = UInt64

    /// The memory limit for the documents, in bytes.
    private let maximumBytes: Int

    private struct State: Sendable {
        var young = Generation()
        /// Documents that were used before the last rotation.
        var old = Generation()
    }

    /// A table of documents with its size in memory.
    private struct Generation: Sendable {
        private(set) var documents: [Key: RenderedPieces] = [:]

        /// Memory of the documents, excluding their slots in the table.
        private var documentBytes = 0

        /// Approximate memory in bytes.
        var bytes: Int { documentBytes + Self.tableBytes(documents.count) }

        /// Approximate memory in bytes after a document of `bytes` is added.
        func bytes(adding bytes: Int) -> Int {
            documentBytes + bytes + Self.tableBytes(documents.count + 1)
        }

        mutating func insert(_ pieces: RenderedPieces, of bytes: Int, for key: Key) {
            if documents.updateValue(pieces, forKey: key) == nil { documentBytes += bytes }
        }

        /// Approximate memory of a document in bytes, excluding its slot in the table.
        static func bytes(_ pieces: RenderedPieces, _ key: Key) -> Int {
            // The slot holds the results of the first 256 conditions inline.
            pieces.allocatedBytes + max(key.results.count / 8 - 32, 0)
        }

        /// A dictionary has a power-of-two number of slots and uses at most three quarters of them.
        private static func tableBytes(_ count: Int) -> Int {
            let fewest = (count * 4 + 2) / 3
            let places = 1 << (Int.bitWidth - max(fewest - 1, 0).leadingZeroBitCount)
            return places
                * (MemoryLayout<Key>.stride + MemoryLayout<RenderedPieces>.stride)
        }
    }

    private let state = NIOLockedValueBox(State())
    private let lastVersion = Atomic<VersionID>(0)

    /// Creates an empty cache.
    ///
    /// - Parameter maximumBytes: The memory limit for the documents, in bytes; 0 keeps none.
    public init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// A number for the documents of a version.
    func makeVersionID() -> VersionID {
        lastVersion.add(1, ordering: .relaxed).newValue
    }

    /// The document with a key; nil when it is not cached.
    func pieces(for key: Key) -> RenderedPieces? {
        let (pieces, displaced): (RenderedPieces?, Generation?) = state.withLockedValue { state in
            if let pieces = state.young.documents[key] { return (pieces, nil) }
            guard let pieces = state.old.documents[key] else { return (nil, nil) }
            return (pieces, insert(pieces, for: key, into: &state))
        }
        withExtendedLifetime(displaced) {}
        return pieces
    }

    func keep(_ pieces: RenderedPieces, for key: Key) {
        withExtendedLifetime(state.withLockedValue { insert(pieces, for: key, into: &$0) }) {}
    }

    /// Approximate memory in bytes.
    public var bytes: Int { state.withLockedValue { $0.young.bytes + $0.old.bytes } }

    /// Adds a document to the young generation.
    ///
    /// Returns the generation that it displaces, which the caller releases without the lock.
    private func insert(
        _ pieces: RenderedPieces, for key: Key, into state: inout State
    ) -> Generation? {
        let bytes = Generation.bytes(pieces, key)
        // A document that never fits must not displace others.
        guard Generation().bytes(adding: bytes) <= maximumBytes / 2 else { return nil }
        var displaced: Generation?
        if state.young.bytes(adding: bytes) > maximumBytes / 2 {
            displaced = state.old
            state.old = state.young
            state.young = Generation()
        }
        state.young.insert(pieces, of: bytes, for: key)
        return displaced
    }
}
