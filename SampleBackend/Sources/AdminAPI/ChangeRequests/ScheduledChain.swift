import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import TemplateStore

/// Scheduled publishes that come one after the other.
enum ScheduledChain: Sendable {
    /// Maximum number of requests that wait for each other.
    static let maximumLength = 10
}

/// The request that is to be published before a scheduled one, and has not been.
struct SchedulePredecessor: Sendable {
    let id: String

    /// Nil when the request is not there any more.
    let stored: StoredChangeRequest?
}

extension Administration {
    /// The request that is to be published before a scheduled one; nil when there is none, and when it
    /// has been published.
    func predecessor(
        of stored: StoredChangeRequest
    ) async throws(RequestError) -> SchedulePredecessor? {
        guard let schedule = stored.request.schedule, schedule.waitingPart == .start,
            let id = schedule.predecessor
        else { return nil }
        let found = try await changeRequestIfPresent(
            ChangeRequestTarget(
                project: stored.project, id: id, isLimitedToPresentProject: false))
        return found?.state == .published ? nil : SchedulePredecessor(id: id, stored: found)
    }

    /// The versions in which the requests before a scheduled one were published, oldest first, as long
    /// as each edit is based on the one before it.
    func publishedSteps(before stored: StoredChangeRequest) async throws(RequestError) -> [Int] {
        var (steps, later): ([Int], StoredChangeRequest) = ([], stored)
        while steps.count < ScheduledChain.maximumLength,
            let id = later.request.schedule?.predecessor
        {
            let found = try await changeRequestIfPresent(
                ChangeRequestTarget(
                    project: stored.project, id: id, isLimitedToPresentProject: false))
            guard let found, found.contents?.edited == later.contents?.base else { break }
            if let version = found.request.ending?.version {
                steps.append(version)
            } else if found.state != .open {
                break
            }
            later = found
        }
        return steps.reversed()
    }

    /// Checks that a request can be published after another one.
    ///
    /// - Parameters:
    ///   - id: The request; nil for a new one.
    ///   - predecessor: The other one.
    /// - Throws: A ``RequestError`` with status 400 when the other one comes after the request, or too
    ///   many wait for each other.
    func checkChain(
        of id: String?, after predecessor: StoredChangeRequest
    ) async throws(RequestError) {
        let followers =
            if let id {
                try await followerCount(of: id, inProject: predecessor.project)
            } else {
                0
            }
        var (length, earlier): (Int, StoredChangeRequest?) = (1 + followers, predecessor)
        // Also of schedules that are cancelled, which can be scheduled again.
        while let next = earlier, next.state == .open {
            if let id, next.id.utf8.elementsEqual(id.utf8) {
                throw .invalidArgument(
                    "after comes after the change request itself: schedule that one first.")
            }
            length += 1
            guard length <= ScheduledChain.maximumLength else {
                throw .invalidArgument(
                    "\(ScheduledChain.maximumLength) publishes one after the other are the maximum: "
                        + "wait for the first.")
            }
            guard let before = next.request.schedule?.predecessor else { break }
            earlier = try await changeRequestIfPresent(
                ChangeRequestTarget(
                    project: next.project, id: before, isLimitedToPresentProject: false))
        }
    }

    /// The number of requests that come one after the other after a request whose schedule was cancelled,
    /// at most as many as may wait for each other.
    private func followerCount(
        of id: String, inProject project: String
    ) async throws(RequestError) -> Int {
        let scheduled = try await scheduledRequests(inProject: project) { $0.state == .open }
        // Nothing comes after what was never scheduled.
        guard scheduled.contains(where: { $0.id.hasSameBytes(as: id) }) else { return 0 }
        let followers = scheduled.compactMap { stored in
            stored.request.schedule?.predecessor.map { (id: stored.id, predecessor: $0) }
        }
        var (length, last) = (0, [id])
        while length < ScheduledChain.maximumLength {
            let next = followers.filter { follower in
                last.contains { $0.hasSameBytes(as: follower.predecessor) }
            }
            if next.isEmpty { break }
            length += 1
            last = next.map(\.id)
        }
        return length
    }

    /// Checks that what a request sets stays until the publishes directly after it are taken back.
    ///
    /// - Parameters:
    ///   - stored: The request.
    ///   - end: The time at which it is to be taken back; nil for never.
    /// - Throws: A ``RequestError`` with status 400 when one of them ends later, or never.
    func checkFollowers(
        of stored: StoredChangeRequest, endingAt end: ScheduledPublish.Time?
    ) async throws(RequestError) {
        guard let end else { return }
        let waiting = try await scheduledRequests(inProject: stored.project) { $0.dueDate != nil }
        for follower in waiting {
            guard let schedule = follower.request.schedule,
                schedule.predecessor?.hasSameBytes(as: stored.id) == true
            else { continue }
            guard let own = schedule.end else {
                throw .invalidArgument(
                    "The publish \(follower.id), which comes after this one, has no end: give it one "
                        + "first, not after \(end.text).")
            }
            guard own.date <= end.date else {
                throw .invalidArgument(
                    "until is before \(own.text), the end of the publish \(follower.id), which comes "
                        + "after this one: send a time that is not earlier, or move that end first."
                )
            }
        }
    }

    /// The requests that have or had a schedule, and meet a condition.
    private func scheduledRequests(
        inProject project: String, where isWanted: (ChangeRequestHeader) -> Bool
    ) async throws(RequestError) -> [StoredChangeRequest] {
        func target(_ id: String) -> ChangeRequestTarget {
            ChangeRequestTarget(project: project, id: id, isLimitedToPresentProject: false)
        }
        var found: [StoredChangeRequest] = []
        for header in try await changeRequests(target("")) {
            guard header.scheduledDate != nil, isWanted(header) else { continue }
            if let stored = try await changeRequestIfPresent(target(header.id)) {
                found.append(stored)
            }
        }
        return found
    }
}
