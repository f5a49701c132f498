package import Foundation

/// The rule by which engines remove records that nobody changes.
///
/// A record expires a while after its last change. It is then marked, and removed when its mark is
/// old enough. A clock that is temporarily ahead therefore removes nothing.
package struct ExpiryRule: Sendable {
    /// The time from its last change until a record expires, in seconds.
    package let lifetime: TimeInterval

    /// The time from its marking until an expired record is removed, in seconds.
    package let grace: TimeInterval

    package static let drafts = ExpiryRule(
        lifetime: TemplateStoreLimits.draftLifetime, grace: TemplateStoreLimits.draftGrace)

    package func isExpired(_ updateTime: Date, at date: Date) -> Bool {
        updateTime + lifetime <= date.roundedToMilliseconds
    }

    /// The mark of a record; nil while it is not expired.
    package func notice(after known: Date?, _ updateTime: Date, at date: Date) -> Date? {
        // The clock may have been ahead when the mark was set.
        isExpired(updateTime, at: date) ? min(known ?? date, date) : nil
    }

    /// True when a record with this mark is to be removed.
    package func isOver(_ notice: Date?, at date: Date) -> Bool {
        notice.map { $0 + grace <= date } ?? false
    }
}
