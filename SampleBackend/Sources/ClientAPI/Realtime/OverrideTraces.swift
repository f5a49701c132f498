import Rendering

/// A type that remembers for which users pinned values changed, and in which sections, so that a
/// client that was away hears of it: an event's ID says nothing of that.
struct OverrideTraces: Sendable {
    /// The most users that are remembered.
    private static let maximumUsers = 10_000

    /// The sections by user; nil when there were too many users.
    private var sections: [UserKey: Set<String>]? = [:]

    /// Remembers sections of a user.
    mutating func add(_ names: some Sequence<String>, ofUser userID: String) {
        sections?[UserKey(userID), default: []].formUnion(names)
        if let sections, sections.count > Self.maximumUsers { self.sections = nil }
    }

    /// The sections of a user that may have changed; nil when that is not known.
    func sections(ofUser userID: String?) -> Set<String>? {
        guard let userID else { return [] }
        return sections.map { $0[UserKey(userID)] ?? [] }
    }
}
