import Foundation
import Rendering
import Templates

/// The effect of a change of a project on its users, computed once for all users that share it.
final class ChangeTable {
    /// The cached effect of a transition from one basis to another.
    private enum Entry {
        /// The document does not change.
        case nothing
        /// One event, shared by all users.
        case event(EventChunk)
        /// The document changes; long polls need no event.
        case pollChange
        /// The event is encoded per user because it contains the user's ID.
        case change(DocumentChange)
    }

    private struct Key: Hashable {
        let old: DocumentBasis
        let new: DocumentBasis
        let format: StreamRequest.Format
        /// The number of the event; 0 for formats without numbers.
        let number: Int
    }

    /// Maximum number of entries; with more distinct transitions, few users share one.
    private static let maximumEntries = 1_024

    private let old: PublishedProject
    private let new: PublishedProject
    /// The sections to compare; nil compares all.
    private let changedSections: ChangedSections?
    /// True when no user needs to be evaluated again.
    private let keepsResults: Bool
    private var entries: [Key: Entry] = [:]

    /// The publication time of the new version; nil when the version is unchanged.
    private let publication: Date?

    /// True for a publish; false for a change of pinned values or with time.
    var isPublish: Bool { publication != nil }

    init(from old: PublishedProject, to new: PublishedProject) {
        self.old = old
        self.new = new
        changedSections = new.changedSections(since: old.compiled.version.number)
        keepsResults = new.compiled.hasSameResults(as: old.compiled)
        publication =
            old.compiled.version.number == new.compiled.version.number
            ? nil : new.compiled.version.updateTime
    }

    /// The basis of a subscription's document after the change; the subscription must still have
    /// its basis in the old version.
    func basis(for subscription: Subscription) -> DocumentBasis {
        guard keepsResults else { return new.basis(for: subscription.request.targetingContext) }
        return DocumentBasis(
            results: subscription.basis.results,
            overrides: new.overrides(forUserID: subscription.request.document.userID))
    }

    /// The encoded event for a subscription that is already updated and had `basis` before; nil
    /// when its document does not change.
    func event(for subscription: Subscription, from basis: DocumentBasis) -> StreamEvent? {
        let request = subscription.request
        let key = Key(
            old: basis, new: subscription.basis, format: request.format,
            number: request.format == .activeConfig ? subscription.eventCount + 1 : 0)
        let entry = entries[key] ?? makeEntry(key)
        switch entry {
        case .nothing: return nil
        case .event(let chunk): return StreamEvent(chunk: chunk, publication: publication)
        case .pollChange: return StreamEvent(chunk: nil, publication: publication)
        case .change(let change):
            let chunk = StreamEvents.update(
                change, number: key.number, forUserID: request.document.userID,
                basis: subscription.basis, in: new)
            return StreamEvent(chunk: chunk, publication: publication)
        }
    }

    /// Computes and caches an entry.
    private func makeEntry(_ key: Key) -> Entry {
        let change = DocumentChange(
            from: old.compiled, key.old, to: new.compiled, key.new,
            changedSections: changedSections)
        let entry: Entry
        if change.isEmpty {
            entry = .nothing
        } else if key.format == .poll {
            entry = .pollChange
        } else if key.format == .openFeature {
            entry = .event(StreamEvents.refetch(new.compiled.version))
        } else if new.compiled.showsUserID {
            entry = .change(change)
        } else {
            entry = .event(
                StreamEvents.update(
                    change, number: key.number, forUserID: nil, basis: key.new, in: new))
        }
        if entries.count < Self.maximumEntries { entries[key] = entry }
        return entry
    }
}

@available(*, unavailable)
extension ChangeTable: Sendable {}

extension PublishedProject {
    /// The sections that may differ from a version; nil when that version is not the predecessor,
    /// or when other sections may differ as well.
    fileprivate func changedSections(since version: Int) -> ChangedSections? {
        changedSections.flatMap {
            $0.oldVersion == version && $0.newVersion == compiled.version.number
                && !$0.isIncomplete ? $0 : nil
        }
    }
}
