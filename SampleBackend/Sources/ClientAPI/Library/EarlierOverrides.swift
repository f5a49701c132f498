package import Logging
import NIOConcurrencyHelpers
import Targeting
package import TemplateStore

/// The users whose overrides were changed before everything was loaded, by the audit trail.
///
/// Nobody knows what a client has seen of such a change, so one that resumes a stream fetches its
/// document again. The same goes for every user while the trail is not read, and for clients with a
/// version from before the newest entries, up to a limit, that are read.
package final class EarlierOverrides: Sendable {
    /// Maximum number of entries on pinned values and versions that are read of a project.
    static let maximumEntries = 10_000

    private struct State {
        /// The projects that are known; nil while their audit trail is not read.
        var projects: [String: Changes?] = [:]
        /// Incremented when the projects are to be read again.
        var round = 0
    }

    fileprivate struct Changes: Sendable {
        var users: Set<ExactText> = []
        /// The lowest version since which all changes are known.
        var firstVersion = Int.max
    }

    private let state = NIOLockedValueBox(State())
    private let store: any AuditStoring
    private let logger: Logger

    package init(store: any AuditStoring, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Forgets everything, and expects changes in these projects until ``read()``.
    func expectChanges(inProjects names: some Sequence<String>) {
        state.withLockedValue { state in
            state.round += 1
            state.projects = Dictionary(names.map { ($0, nil) }) { first, _ in first }
        }
    }

    /// Reads the audit trails that are not read yet; what fails is logged, and left for the next
    /// call, as is the rest when the task is cancelled.
    package func read() async {
        let (names, round) = state.withLockedValue { state in
            (state.projects.filter { $0.value == nil }.map(\.key), state.round)
        }
        for name in names {
            do throws(TemplateStoreError) {
                let changes = try await changes(inProject: name)
                if Task.isCancelled { return }
                state.withLockedValue { state in
                    if state.round == round { state.projects[name] = .some(changes) }
                }
            } catch {
                // Documents can be served all the same.
                logger.error(
                    "The store failed",
                    metadata: ["operation": "read_audit", "error": "\(error)"])
            }
        }
    }

    private func changes(inProject project: String) async throws(TemplateStoreError) -> Changes {
        var changes = Changes()
        // The limit must not be used up by sign-ins and other actions.
        var query = AuditQuery(
            limit: TemplateStoreLimits.auditPage,
            actions: [.setOverrides, .removeOverrides, .publish, .rollback])
        for _ in 0..<Self.maximumEntries / TemplateStoreLimits.auditPage
        where !Task.isCancelled {
            let page = try await store.auditEntries(inProject: project, matching: query)
            for entry in page where entry.project == project { changes.add(entry) }
            guard page.count == query.limit, let oldest = page.last else {
                changes.firstVersion = 0
                break
            }
            query.before = oldest.revision
        }
        return changes
    }

    /// False when the overrides of a user have not been changed since a version was published and
    /// before everything was loaded, as far as that is known.
    func mayInclude(_ userID: String, inProject project: String, since version: Int) -> Bool {
        state.withLockedValue { state in
            // A project that was not loaded has begun since.
            guard let known = state.projects[project] else { return false }
            guard let known, version >= known.firstVersion else { return true }
            return known.users.contains(ExactText(userID))
        }
    }
}

extension EarlierOverrides.Changes {
    /// Adds an entry of the project that is older than all others.
    fileprivate mutating func add(_ entry: AuditEntry) {
        switch entry.action {
        case .setOverrides, .removeOverrides: users.insert(ExactText(entry.subject))
        case .publish, .rollback:
            if let version = Int(entry.subject) { firstVersion = min(firstVersion, version) }
        default: break
        }
    }
}
