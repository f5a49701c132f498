import Foundation
import Rendering
import Templates

/// The effect of a change of a project on its users, computed once for all users that share it.
final class ChangeTable {
    /// The cached effect of a transition from one basis to another.
    private enum Entry {
        /// The document does not change.
        case nothing
        /// One event shared by all.
        case event(EventChunk)
        /// The document changes, and a long poll has no events.
        case pollChange
        /// The event is encoded per user, since it contains their ID.
        case change(DocumentChange)
    }

    private struct Key: Hashable {
        let old: DocumentBasis
        let new: DocumentBasis
        let format: StreamRequest.Format
        /// The number of the event; 0 for a format without numbers.
        let number: Int
    }

    /// Maximum entries; with more distinct transitions than that, few users share one.
    private static let maximumEntries = 1_024

    private let old: PublishedProject
    private let new: PublishedProject
    /// The sections to compare; nil compares all.
    private let changedSections: ChangedSections?
    /// True when no user has to be evaluated again.
    private let keepsResults: Bool
    private var entries: [Key: Entry] = [:]

    /// The publication time of the new version; nil when the version is the same.
    private let publication: Date?

    /// True when the change is a publish, not one of overrides or of a time.
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

    /// The basis of a subscription's document after the change; before it, the subscription has that
    /// of the old version.
    func basis(for subscription: Subscription) -> DocumentBasis {
        guard keepsResults else { return new.basis(for: subscription.request.targetingContext) }
        return DocumentBasis(
            results: subscription.basis.results,
            overrides: new.overrides(forUserID: subscription.request.document.userID))
    }

    /// The encoded event for a subscription whose basis was `basis` before and is already updated;
    /// nil when its document does not change.
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

    /// Computes an entry, and caches it.
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
    /// The sections that may differ from a version's; nil when that version is not the one before,
    /// or when others may differ as well.
    fileprivate func changedSections(since version: Int) -> ChangedSections? {
        changedSections.flatMap {
            $0.oldVersion == version && $0.newVersion == compiled.version.number
                && !$0.isIncomplete ? $0 : nil
        }
    }
}
