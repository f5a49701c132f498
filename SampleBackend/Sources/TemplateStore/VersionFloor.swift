package import Foundation

/// The version number above which all projects of a store continue.
///
/// A store that was brought back to an earlier state would publish numbers again that clients have
/// already seen with other content. So a restore raises the floor of the store, by an entry of the
/// audit trail, which every copy of the store has.
package enum VersionFloor {
    /// 2020-01-01T00:00:00Z, in seconds since 1970.
    private static let beginning = 1_577_836_800.0

    /// 2060-01-01T00:00:00Z, in seconds since 2020; a clock that shows a later time is wrong.
    private static let end = 1_262_304_000.0

    /// The numbers above the highest known one that may be lost, when the time does not tell.
    private static let room = 1_000_000

    /// The highest floor: version numbers have 31 bits, and 147 million are left for publishes.
    package static let maximum = 2_000_000_000

    /// The highest number that a raise can be asked to exceed, so that later raises have room.
    package static let maximumRequest = 1_500_000_000

    /// The floor after a restore of a store whose highest version number, or floor, is `highest`: the
    /// number of seconds since 2020, which no project reaches by its publishes.
    ///
    /// When the clock is wrong, or was wrong at an earlier raise, the floor is well above `highest`.
    package static func raised(above highest: Int, at date: Date) -> Int {
        let seconds = date.timeIntervalSince1970 - beginning
        guard (0..<end).contains(seconds), highest < Int(seconds) + room else {
            return highest + room
        }
        return max(highest + 1, Int(seconds))
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

    package init(
        above minimum: Int = 0, date: Date = Date(), actor: String = "sample-backend",
        reason: String
    ) {
        self.minimum = minimum
        self.date = date
        self.actor = actor
        self.reason = reason
    }

    /// The floor and its entry for a store whose highest version number, or floor, is `highest`.
    ///
    /// - Throws: ``TemplateStoreError`` when no higher floor is left; nothing is stored then.
    package func applied(
        above highest: Int, revision: StoreRevision
    ) throws(TemplateStoreError) -> (floor: Int, entry: AuditEntry) {
        let floor = max(
            VersionFloor.raised(above: highest, at: date), min(minimum, .max - 1) + 1)
        guard floor <= VersionFloor.maximum else {
            throw TemplateStoreError(
                .unavailable,
                "The version numbers cannot be raised above \(max(highest, minimum)), which the "
                    + "store has or the request names: the highest possible floor is "
                    + "\(VersionFloor.maximum). Nothing is changed: start with an empty store, and "
                    + "publish the templates in it.")
        }
        let entry = AuditEntry(
            revision: revision, project: nil, date: date.roundedToMilliseconds, actor: actor,
            action: .raiseVersions, subject: "\(floor + 1)", detail: reason)
        return (floor, entry)
    }
}

extension AuditEntry {
    /// The version floor that the entry's change set; nil for other changes.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `damaged`: another floor would give numbers again
    ///   that clients have.
    package var versionFloor: Int? {
        get throws(TemplateStoreError) {
            guard action == .raiseVersions else { return nil }
            guard let next = Int(subject), (1...Self.maximumVersion).contains(next) else {
                throw TemplateStoreError(
                    .damaged,
                    "The entry RAISE_VERSIONS of the audit trail, at revision \(revision), has "
                        + "\"\(subject.prefix(100))\" instead of a version: restore a backup.")
            }
            return next - 1
        }
    }

    /// The highest version number that the entry's change used or set; nil for other changes.
    package var highestVersion: Int? {
        get throws(TemplateStoreError) {
            switch action {
            case .publish, .rollback, .undo:
                Int(subject).flatMap { (1...Self.maximumVersion).contains($0) ? $0 : nil }
            default: try versionFloor ?? deletedVersion
            }
        }
    }

    /// Limited by the number of digits in the client protocol.
    private static let maximumVersion = 999_999_999_999_999
}
