package import Foundation

/// The version number above which all projects of a store continue.
///
/// A store that was brought back to an earlier state would publish numbers again that clients have
/// already seen with other content. So a restore raises the floor of the store, by an entry of the
/// audit trail, which every copy of the store has.
package enum VersionFloor {
    /// 2020-01-01T00:00:00Z, in seconds since 1970.
    private static let beginning = 1_577_836_800.0

    /// The latest floor by time, in 2088: version numbers have 31 bits.
    private static let maximum = Double(Int32.max) - 1

    /// The floor after a restore of a store whose highest version number, or floor, is `highest`: the
    /// number of seconds since 2020, which no project reaches by its publishes.
    package static func raised(above highest: Int, at date: Date) -> Int {
        let seconds = date.timeIntervalSince1970 - beginning
        return max(highest + 1, seconds > 0 ? Int(min(seconds, maximum)) : 0)
    }

    /// The number of the next version of a project.
    ///
    /// - Parameters:
    ///   - current: The project's current version; nil for a new project.
    ///   - deleted: The last version of a deleted project of the same name; nil for none.
    ///   - floor: The floor of the store; 0 when it was never raised.
    /// - Returns: The number; every version of every project gets it here.
    package static func nextVersion(after current: Int?, deleted: Int?, floor: Int) -> Int {
        max(current ?? deleted ?? 0, floor) + 1
    }

    /// The number of a project that is created empty: 0, or the next one.
    static func createdVersion(deleted: Int?, floor: Int) -> Int {
        deleted == nil && floor == 0 ? 0 : nextVersion(after: nil, deleted: deleted, floor: floor)
    }
}

/// A raise of a store's version floor.
package struct VersionRaise: Sendable, Hashable {
    /// A version number that the next versions must exceed, such as the highest that apps have; 0
    /// when only the store's own numbers count.
    package var minimum: Int

    /// The time of the change.
    package var date: Date

    /// Who raises it, for the audit trail.
    package var actor: String

    /// Why, for the audit trail.
    package var reason: String

    package init(above minimum: Int = 0, date: Date = Date(), actor: String = "", reason: String) {
        self.minimum = minimum
        self.date = date
        self.actor = actor
        self.reason = reason
    }

    /// The entry for a store whose highest version number, or floor, is `highest`.
    package func entry(above highest: Int, revision: StoreRevision) -> AuditEntry {
        let floor = VersionFloor.raised(above: max(highest, minimum), at: date)
        return AuditEntry(
            revision: revision, project: nil, date: date.roundedToMilliseconds, actor: actor,
            action: .raiseVersions, subject: "\(floor + 1)", detail: reason)
    }
}

extension AuditEntry {
    /// The version floor that the entry's change set; nil for other changes.
    package var versionFloor: Int? {
        action == .raiseVersions ? Int32(subject).map { Int($0) - 1 } : nil
    }

    /// The highest version number that the entry's change used or set; nil for other changes.
    package var highestVersion: Int? {
        switch action {
        case .publish, .rollback: Int32(subject).map(Int.init)
        default: versionFloor ?? deletedVersion
        }
    }
}
