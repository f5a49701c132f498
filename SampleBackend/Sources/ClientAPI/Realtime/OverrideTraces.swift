import Rendering

/// The users whose overrides changed, and in which sections.
///
/// A client that reconnects needs it, because an event's ID tells nothing about overrides.
struct OverrideTraces: Sendable {
    /// Maximum users that are tracked.
    private static let maximumUsers = 10_000

    /// The changed sections by user; nil once there were too many users.
    private var sections: [UserKey: Set<String>]? = [:]

    mutating func add(_ names: some Sequence<String>, ofUser userID: String) {
        sections?[UserKey(userID), default: []].formUnion(names)
        if let sections, sections.count > Self.maximumUsers { self.sections = nil }
    }

    /// The sections of a user that may have changed; nil when that is unknown.
    func sections(ofUser userID: String?) -> Set<String>? {
        guard let userID else { return [] }
        return sections.map { $0[UserKey(userID)] ?? [] }
    }
}
