import NIOConcurrencyHelpers
import Targeting

/// A section of a template, by the results of the conditions that it depends on.
struct SectionKey: Sendable, Hashable {
    let index: Int
    let results: ConditionResults
}

/// A section, and whether the cache has it.
struct SharedSection<Section: Sendable>: Sendable {
    let section: Section
    /// Approximate memory.
    let bytes: Int
    /// False for a section that is too large for the cache.
    let isCached: Bool
}

/// Results that came before, by a part of their hashes: never certain that they did, and forgetting those
/// that others take the place of.
private struct FormerResults: Sendable {
    private var marks: ContiguousArray<UInt16>

    init(count: Int) { marks = ContiguousArray(repeating: 0, count: count) }

    /// Returns whether the results came before, and remembers them.
    mutating func insert(_ results: ConditionResults) -> Bool {
        let hash = UInt(bitPattern: results.hashValue)
        let index = Int(hash % UInt(marks.count))
        // The place uses the lower bits; 0 is an empty place.
        let mark = UInt16(truncatingIfNeeded: hash >> (UInt.bitWidth - 16)) | 1
        defer { marks[index] = mark }
        return marks[index] == mark
    }
}

/// Documents by the results of conditions, and the sections that they share, with bounded memory.
///
/// A document is kept when its results come for the second time: where hardly two users have the same,
/// documents would take the memory of the sections, which these users do share.
///
/// Sections have two generations. A hit moves a section to the young one. When documents and young
/// sections fill half of the memory, the young sections become old, which drops the old ones, and all
/// documents are dropped: they would keep sections alive that are no longer counted. Documents are put
/// together anew from the sections.
///
/// What is dropped is freed after the lock is released.
final class DocumentCache<Section: Sendable, Document: Sendable>: Sendable {
    private typealias Sections = [SectionKey: SharedSection<Section>]

    private struct State: Sendable {
        var documents: [ConditionResults: Document] = [:]
        var young: Sections = [:]
        /// Sections that were used before the last rotation.
        var old: Sections = [:]
        /// Memory of `documents` and `young`.
        var bytes = 0
        var oldBytes = 0
        var rotations = 0
        /// Results of documents that were made.
        var made: FormerResults
    }

    /// What a rotation drops.
    private typealias Dropped = (documents: [ConditionResults: Document], sections: Sections)

    /// Approximate memory of an entry besides its value: its slot and the headers of its blocks.
    private static var entryBytes: Int { 512 }

    private let maximumBytes: Int
    private let state: NIOLockedValueBox<State>

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        // More than there can be documents.
        let made = FormerResults(count: max(maximumBytes / Self.entryBytes, 1))
        state = NIOLockedValueBox(State(made: made))
    }

    /// The document for the results; nil when it is not cached.
    subscript(results: ConditionResults) -> Document? {
        state.withLockedValue { $0.documents[results] }
    }

    /// The section for a key; nil when it is not cached.
    subscript(key: SectionKey) -> SharedSection<Section>? {
        let (section, _) = state.withLockedValue { state -> (SharedSection<Section>?, Dropped?) in
            if let known = state.young[key] { return (known, nil) }
            guard let known = state.old[key] else { return (nil, nil) }
            let dropped = Self.makeRoom(for: known.bytes, maximumBytes, in: &state)
            state.young[key] = known
            return (known, dropped)
        }
        return section
    }

    /// Keeps a section of about `bytes` in memory.
    ///
    /// - Returns: The section to use: that of another thread if it was faster.
    func keep(_ section: Section, of bytes: Int, for key: SectionKey) -> SharedSection<Section> {
        let bytes = bytes + Self.entryBytes
        guard bytes <= maximumBytes / 2 else {
            return SharedSection(section: section, bytes: bytes, isCached: false)
        }
        let (shared, _) = state.withLockedValue { state -> (SharedSection<Section>, Dropped?) in
            if let known = state.young[key] { return (known, nil) }
            let shared = SharedSection(section: section, bytes: bytes, isCached: true)
            let dropped = Self.makeRoom(for: bytes, maximumBytes, in: &state)
            state.young[key] = shared
            return (shared, dropped)
        }
        return shared
    }

    /// Number of times that sections became old.
    var rotations: Int { state.withLockedValue { $0.rotations } }

    /// Keeps a document of about `bytes` in memory, without those of its cached sections, if its results
    /// came before.
    ///
    /// `rotations` is from before its sections were looked up. If sections became old since, the document
    /// is not kept: it may contain dropped ones.
    func keep(
        _ document: Document, of bytes: Int, for results: ConditionResults, since rotations: Int
    ) {
        let bytes = bytes + Self.entryBytes
        guard bytes <= maximumBytes / 2 else { return }
        _ = state.withLockedValue { state -> Dropped? in
            guard state.made.insert(results), state.rotations == rotations,
                state.documents[results] == nil
            else { return nil }
            let dropped = Self.makeRoom(for: bytes, maximumBytes, in: &state)
            state.documents[results] = document
            return dropped
        }
    }

    /// Number of documents.
    var documentCount: Int { state.withLockedValue { $0.documents.count } }

    /// Counted memory; sections in both generations count twice.
    var bytes: Int { state.withLockedValue { $0.bytes + $0.oldBytes } }

    private static func makeRoom(
        for bytes: Int, _ maximumBytes: Int, in state: inout State
    ) -> Dropped? {
        state.bytes += bytes
        guard state.bytes > maximumBytes / 2 else { return nil }
        let dropped = (state.documents, state.old)
        (state.old, state.oldBytes) = (state.young, state.bytes - bytes)
        (state.young, state.documents, state.bytes) = ([:], [:], bytes)
        state.rotations += 1
        return dropped
    }
}
