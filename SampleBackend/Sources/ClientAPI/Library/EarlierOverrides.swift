import JSONTree
package import Logging
import NIOConcurrencyHelpers
import Targeting
package import TemplateStore

/// The users whose pinned values changed before the library was loaded, according to the audit
/// trail.
///
/// It is unknown whether a client has seen such a change, so a client that resumes a stream must
/// fetch its document again. The same applies to every user until the trail is read, and to clients
/// with a version older than the entries that are read, whose number is limited.
package final class EarlierOverrides: Sendable {
    /// Maximum number of audit entries on pinned values and versions to read per project.
    static let maximumEntries = 10_000

    private struct State {
        /// The changes by project; nil until the project's audit trail is read.
        var projects: [String: Changes?] = [:]  // names: names of projects are ASCII
        /// Incremented when the audit trails must be read again.
        var round = 0
    }

    fileprivate struct Changes: Sendable {
        var users: Set<ExactText> = []
        /// The lowest version since which all changes of pinned values are known.
        var firstVersion = Int.max
    }

    private let state = NIOLockedValueBox(State())
    private let store: any AuditStoring
    private let logger: Logger

    package init(store: any AuditStoring, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Discards all changes, and assumes changes for every user of these projects until ``read()``.
    func expectChanges(inProjects names: some Sequence<String>) {
        state.withLockedValue { state in
            state.round += 1
            state.projects = Dictionary(names.map { ($0, nil) }) { first, _ in first }
        }
    }

    /// Discards the changes in a deleted project.
    func forget(project name: String) {
        state.withLockedValue { _ = $0.projects.removeValue(forKey: name) }
    }

    /// Reads the audit trails that are not read yet.
    ///
    /// Failures are logged and left for the next call, as is the rest when the task is cancelled.
    package func read() async {
        let (names, round) = state.withLockedValue { state in
            (state.projects.filter { $0.value == nil }.map(\.key), state.round)
        }
        for name in names {
            do throws(TemplateStoreError) {
                let changes = try await changes(inProject: name)
                if Task.isCancelled { return }
                state.withLockedValue { state in
                    // The project may have been deleted during the read.
                    guard state.round == round, state.projects.keys.contains(name) else { return }
                    state.projects[name] = .some(changes)
                }
            } catch {
                if Task.isCancelled { return }
                // Documents can still be served.
                logger.error(
                    "The store failed",
                    metadata: ["operation": "read_audit", "error": "\(error)"])
            }
        }
    }

    private func changes(inProject project: String) async throws(TemplateStoreError) -> Changes {
        var changes = Changes()
        // Filtered, so sign-ins and other actions do not use up the limit.
        var query = AuditQuery(
            limit: TemplateStoreLimits.auditPage,
            actions: AuditEntry.Action.ofVersions.union([.setOverrides, .removeOverrides]))
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

    /// False when the user's pinned values are known not to have changed between the publish of a
    /// version and the loading of the library.
    func mayInclude(_ userID: String, inProject project: String, since version: Int) -> Bool {
        state.withLockedValue { state in
            // A project that was not loaded was created since.
            guard let known = state.projects[project] else { return false }
            guard let known, version >= known.firstVersion else { return true }
            return known.users.contains(ExactText(userID))
        }
    }
}

extension EarlierOverrides.Changes {
    /// Adds an entry that is older than all entries so far.
    fileprivate mutating func add(_ entry: AuditEntry) {
        switch entry.action {
        case .setOverrides, .removeOverrides: users.insert(ExactText(entry.subject))
        case .publish, .rollback, .undo:
            if let version = Int(entry.subject) { firstVersion = min(firstVersion, version) }
        default: break
        }
    }
}
