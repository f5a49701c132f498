package import Foundation
import HTTPServing
import NIOConcurrencyHelpers
import NIOPosix
import Targeting
package import TemplateStore

/// The use of projects that this process has seen, until it is stored.
///
/// Each thread has a table of its own, whose lock only the thread and the one that stores take. A
/// delivery that the table has already costs a look-up and no allocation. What is stored stays in the
/// table, so that an app is stored once a day and version.
package final class UsageTally: Sendable {
    /// Maximum number of projects in a table.
    private static let maximumProjects = 1_000

    /// Maximum number of tables; further threads share the last one.
    private static let maximumTables = 64

    private final class Table: Sendable {
        // names: names of projects are ASCII
        let projects = NIOLockedValueBox<[String: ProjectTally]>([:])

        /// Changes the tally of a project unless `isKnown` says that it has what is to be recorded.
        func change(
            _ name: String, unless isKnown: (ProjectTally) -> Bool,
            by body: (inout ProjectTally) -> Void
        ) {
            projects.withLockedValue { projects in
                // Apart, since access for a change allocates.
                if let known = projects[name], isKnown(known) { return }
                if projects.count >= UsageTally.maximumProjects, projects[name] == nil { return }
                body(&projects[name, default: ProjectTally()])
            }
        }
    }

    private struct State: Sendable {
        var tables: [Table] = []
        /// Batches that could not be stored, by project.
        var unstored: [String: UsageBatch] = [:]  // names: names of projects are ASCII
        var unknownNames: [String: UnknownNames] = [:]  // names: as above
    }

    private let state = NIOLockedValueBox(State())
    private let own = ThreadSpecificVariable<Table>()
    private let now: @Sendable () -> Date

    package init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// The current day.
    package var today: UsageDay { UsageDay(now()) }

    /// Records a document or template of a version that an existing project's app or service has or
    /// gets.
    func recordDelivery(to app: UsedApp, inProject project: String, version: Int) {
        let mark = UsageMark(day: today, version: version)
        table.change(
            project, unless: { $0.hasDelivery(to: app, mark) },
            by: { $0.recordDelivery(to: app, mark) })
    }

    /// Records that a client evaluated a setting by its name.
    func recordRead(of setting: UsedSetting, inProject project: String, version: Int) {
        let mark = UsageMark(day: today, version: version)
        table.change(
            project, unless: { $0.hasRead(of: setting, mark) },
            by: { $0.recordRead(of: setting, mark) })
    }

    /// Records a name that an existing project does not have.
    func recordUnknownName(_ name: String, inProject project: String) {
        let date = now()
        state.withLockedValue { state in
            if state.unknownNames[project] == nil,
                state.unknownNames.count >= Self.maximumProjects
            {
                state.unknownNames = state.unknownNames.filter { !$0.value.names(at: date).isEmpty }
                guard state.unknownNames.count < Self.maximumProjects else { return }
            }
            state.unknownNames[project, default: UnknownNames()].record(name, at: date)
        }
    }

    /// The names that clients asked for within the last day and that the project did not have, the
    /// last one first.
    package func unknownNames(inProject project: String) -> [UnknownNames.Name] {
        let date = now()
        return state.withLockedValue { $0.unknownNames[project] }?.names(at: date) ?? []
    }

    /// What is not stored yet, by project; it counts as stored unless it is returned.
    package func take() -> [String: UsageBatch] {  // names: names of projects are ASCII
        let day = today
        var (batches, tables) = state.withLockedValue { state in
            defer { state.unstored = [:] }
            return (state.unstored, state.tables)
        }
        for table in tables {
            table.projects.withLockedValue { projects in
                for name in projects.keys {
                    guard let batch = projects[name]?.take(at: day) else { continue }
                    batches[name, default: UsageBatch(day: day)].add(batch)
                }
                projects = projects.filter { !$0.value.isEmpty }
            }
        }
        return batches
    }

    /// Adds batches that are to be stored with the next write.
    package func add(_ batches: [String: UsageBatch]) {  // names: names of projects are ASCII
        state.withLockedValue { state in
            for (name, batch) in batches {
                if state.unstored[name] == nil, state.unstored.count >= Self.maximumProjects {
                    continue
                }
                state.unstored[name, default: UsageBatch(day: batch.day)].add(batch)
            }
        }
    }

    /// All that this process knows of a project's use, stored or not; nil when it knows nothing.
    package func batch(ofProject name: String) -> UsageBatch? {
        var (batch, tables) = state.withLockedValue { ($0.unstored[name], $0.tables) }
        for table in tables {
            guard let known = table.projects.withLockedValue({ $0[name]?.batch(at: today) }) else {
                continue
            }
            batch?.add(known)
            batch = batch ?? known
        }
        return batch
    }

    /// Discards what is known of a deleted project.
    package func forget(project name: String) {
        let tables = state.withLockedValue { state in
            state.unstored[name] = nil
            state.unknownNames[name] = nil
            return state.tables
        }
        for table in tables { _ = table.projects.withLockedValue { $0.removeValue(forKey: name) } }
    }

    /// The table of the current thread.
    private var table: Table {
        if let known = own.currentValue { return known }
        let table = state.withLockedValue { state in
            if let last = state.tables.last, state.tables.count >= Self.maximumTables {
                return last
            }
            let table = Table()
            state.tables.append(table)
            return table
        }
        own.currentValue = table
        return table
    }
}

/// The use of one project that one thread has seen.
private struct ProjectTally: Sendable {
    private struct Entry: Sendable {
        var mark: UsageMark
        var isStored = false
    }

    /// Maximum number of apps; further ones count as ``UsedApp/other``.
    private static let maximumCount = 2 * UsageLimits.apps

    private var deliveries: [UsedApp: Entry] = [:]
    private var reads: [UsedSetting: Entry] = [:]

    var isEmpty: Bool { deliveries.isEmpty && reads.isEmpty }

    func hasDelivery(to app: UsedApp, _ mark: UsageMark) -> Bool {
        deliveries[app].map { Self.includes(mark, $0) } ?? false
    }

    func hasRead(of setting: UsedSetting, _ mark: UsageMark) -> Bool {
        reads[setting].map { Self.includes(mark, $0) } ?? false
    }

    private static func includes(_ mark: UsageMark, _ known: Entry) -> Bool {
        known.mark.day >= mark.day && known.mark.version >= mark.version
    }

    mutating func recordDelivery(to app: UsedApp, _ mark: UsageMark) {
        let isFull = deliveries.count >= Self.maximumCount
        Self.record(
            mark, of: isFull && deliveries[app] == nil ? .other : app, in: &deliveries)
    }

    mutating func recordRead(of setting: UsedSetting, _ mark: UsageMark) {
        if reads.count >= UsageLimits.countedReads, reads[setting] == nil { return }
        Self.record(mark, of: setting, in: &reads)
    }

    private static func record<Key>(
        _ mark: UsageMark, of key: Key, in entries: inout [Key: Entry]
    ) {
        guard let known = entries[key] else {
            entries[key] = Entry(mark: mark)
            return
        }
        if includes(mark, known) { return }
        entries[key] = Entry(mark: known.mark.merged(with: mark))
    }

    /// What is not stored yet, which then counts as stored; nil for nothing.
    ///
    /// Forgets earlier days.
    mutating func take(at day: UsageDay) -> UsageBatch? {
        let batch = UsageBatch(
            day: day, deliveries: Self.take(&deliveries, since: day),
            reads: Self.take(&reads, since: day))
        return batch.deliveries.isEmpty && batch.reads.isEmpty ? nil : batch
    }

    private static func take<Key>(
        _ entries: inout [Key: Entry], since day: UsageDay
    ) -> [Key: UsageMark] {
        let isDue = entries.values.contains { !$0.isStored || $0.mark.day < day }
        guard isDue else { return [:] }
        let taken = entries.filter { !$0.value.isStored }.mapValues(\.mark)
        entries = entries.filter { $0.value.mark.day >= day }
            .mapValues { Entry(mark: $0.mark, isStored: true) }
        return taken
    }

    func batch(at day: UsageDay) -> UsageBatch {
        UsageBatch(
            day: day, deliveries: deliveries.mapValues(\.mark), reads: reads.mapValues(\.mark))
    }
}

extension UsedApp {
    /// The app that sends signals.
    init(_ signals: Signals) {
        self.init(id: signals.appID, version: signals.appVersion)
    }
}
