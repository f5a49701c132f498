import Foundation
import NIOCore
import Rendering
import Templates

/// A type that works out what a change of a project means for users, once for all that share it.
final class ChangeTable {
    /// What is kept for the users of a basis before and one afterwards.
    private enum Entry {
        /// Their document stays.
        case nothing
        /// One event for all.
        case event(ByteBuffer)
        /// An event for each, since it holds their ID.
        case change(DocumentChange)
    }

    /// The key of an entry.
    private struct Key: Hashable {
        /// What the document depended on.
        let old: DocumentBasis
        /// What it depends on.
        let new: DocumentBasis
        /// In what terms it is told.
        let format: StreamRequest.Format
    }

    /// The most entries; where hardly two users share one, they are of no use.
    private static let maximumEntries = 1_024

    /// The project before.
    private let old: ProjectConfiguration

    /// The project afterwards.
    private let new: ProjectConfiguration

    /// What is worked out.
    private var entries: [Key: Entry] = [:]

    /// When the new version was published; nil when the version is the same.
    let publication: Date?

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - old: The project before.
    ///   - new: The project afterwards.
    init(from old: ProjectConfiguration, to new: ProjectConfiguration) {
        self.old = old
        self.new = new
        publication =
            old.compiled.version.number == new.compiled.version.number
            ? nil : new.compiled.version.updateTime
    }

    /// What to tell a stream, or nil when its client's document stays.
    ///
    /// - Parameters:
    ///   - stream: The stream, with its basis afterwards.
    ///   - basis: Its basis before.
    /// - Returns: The event as it is sent.
    func event(for stream: EventStream, from basis: DocumentBasis) -> ByteBuffer? {
        let key = Key(old: basis, new: stream.basis, format: stream.request.format)
        let entry = entries[key] ?? makeEntry(key)
        switch entry {
        case .nothing: return nil
        case .event(let bytes): return bytes
        case .change(let change):
            return StreamEvents.update(
                change, forUserID: stream.request.configuration.userID, basis: stream.basis,
                in: new)
        }
    }

    /// Works out an entry, and keeps it.
    private func makeEntry(_ key: Key) -> Entry {
        let change = DocumentChange(from: old.compiled, key.old, to: new.compiled, key.new)
        let entry: Entry
        if change.isEmpty {
            entry = .nothing
        } else if key.format == .openFeature {
            entry = .event(StreamEvents.refetch(new.compiled.version))
        } else if new.compiled.showsUserID {
            entry = .change(change)
        } else {
            entry = .event(StreamEvents.update(change, forUserID: nil, basis: key.new, in: new))
        }
        if entries.count < Self.maximumEntries { entries[key] = entry }
        return entry
    }
}

@available(*, unavailable)
extension ChangeTable: Sendable {}
