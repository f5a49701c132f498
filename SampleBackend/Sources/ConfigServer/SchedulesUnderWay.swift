import AdminAPI
import Foundation
import NIOConcurrencyHelpers
import TemplateStore

/// The projects whose schedules this process performs, each once at a time, so that a project with
/// much to do delays no other one.
final class ProjectsUnderWay: Sendable {
    private struct State {
        // names: names of projects are ASCII
        var projects: [String: Turn] = [:]
        var failed: Set<String> = []  // names: names of projects are ASCII
    }

    private struct Turn {
        /// What is due, by identifier and state.
        let due: [[String]]
        /// True when something else has become due, or has changed, since.
        var isOutdated = false
    }

    private let state = NIOLockedValueBox(State())

    /// Those of all projects with something due that can begin now.
    ///
    /// A project that is under way is not to begin again because of what it has begun with, which may
    /// stay due: two projects would wake each other without a pause.
    func begin(_ due: [[ChangeRequestHeader]]) -> [[ChangeRequestHeader]] {
        state.withLockedValue { state in
            state.failed.formIntersection(due.compactMap(\.first?.project))
            return due.filter { requests in
                guard let project = requests.first?.project else { return false }
                let due = requests.map { [$0.id, $0.tag] }
                guard let turn = state.projects[project] else {
                    state.projects[project] = Turn(due: due)
                    return true
                }
                if turn.due != due { state.projects[project]?.isOutdated = true }  // names: ASCII
                return false
            }
        }
    }

    /// True when the project is to begin again.
    func end(_ project: String, hasFailed: Bool) -> Bool {
        state.withLockedValue { state in
            if hasFailed { state.failed.insert(project) } else { state.failed.remove(project) }
            return state.projects.removeValue(forKey: project)?.isOutdated == true
        }
    }

    /// True when nothing has failed at the last attempts.
    var haveAllSucceeded: Bool { state.withLockedValue { $0.failed.isEmpty } }
}

/// The rollouts that this process looks at, each once at a time, and the same state not again at once.
final class RolloutsUnderWay: Sendable {
    /// Time between two looks at a rollout that has not changed, so that a webhook that does not answer
    /// is not asked whenever something else changes.
    private static let pause = Duration.seconds(20)

    /// Maximum number of rollouts that are looked at at a time, each with its templates; the others
    /// have their turn after these.
    private static let mostAtATime = 16

    private struct Look: Sendable {
        let tag: String
        let isDue: Bool
        var isUnderWay = true
        var isWatched = true
        let start = ContinuousClock.now

        /// True when the same is not to be looked at again yet.
        func holdsBack(_ next: Look) -> Bool {
            if isUnderWay { return true }
            guard tag == next.tag, isDue == next.isDue else { return false }
            return !isWatched || next.start - start < RolloutsUnderWay.pause
        }
    }

    private struct State {
        /// By project and identifier, which are ASCII.
        var looks: [[String]: Look] = [:]  // names: ASCII
        /// True when some had no place.
        var hasMore = false
    }

    private let state = NIOLockedValueBox(State())

    /// Those of all waiting rollouts that are to be looked at now, the longest not looked at first.
    func begin(_ rollouts: [ChangeRequestHeader], at date: Date) -> [ChangeRequestHeader] {
        state.withLockedValue { state in
            let names = Set(rollouts.map { [$0.project, $0.id] })  // names: ASCII
            state.looks = state.looks.filter { $0.value.isUnderWay || names.contains($0.key) }
            let next = rollouts.map { rollout in
                let name = [rollout.project, rollout.id]
                let look = Look(
                    tag: rollout.tag, isDue: rollout.dueDate.map { $0 <= date } ?? false)
                return (name: name, rollout: rollout, look: look, last: state.looks[name])
            }.filter { $0.last?.holdsBack($0.look) != true }
                // Stable: of those that were never looked at, the earliest due first.
                .enumerated().sorted { left, right in
                    switch (left.element.last?.start, right.element.last?.start) {
                    case (nil, nil): left.offset < right.offset
                    case (nil, _?): true
                    case (_?, nil): false
                    case (let left?, let right?): left < right
                    }
                }.map(\.element)
            let free = Self.mostAtATime - state.looks.values.count(where: \.isUnderWay)
            state.hasMore = next.count > max(0, free)
            return next.prefix(max(0, free)).map { name, rollout, look, _ in
                state.looks[name] = look
                return rollout
            }
        }
    }

    /// Returns true when another one waits for its turn.
    func end(_ rollout: ChangeRequestHeader, isWatched: Bool) -> Bool {
        state.withLockedValue { state in
            state.looks[[rollout.project, rollout.id]]?.isUnderWay = false
            state.looks[[rollout.project, rollout.id]]?.isWatched = isWatched
            defer { state.hasMore = false }
            return state.hasMore
        }
    }
}
