import Foundation
import TemplateStore
import Templates
import Testing

struct ChangeRequestStepTests {
    /// The step that is queued for a webhook in etcd's transaction has a bounded size.
    @Test func aStepOfTheLongestTextsIsSmall() throws {
        let long = String(repeating: "🙂", count: 10_000)
        let date = Date(timeIntervalSince1970: 0)
        var request = ChangeRequest(
            title: long, text: long, author: .init(person: long, actor: long, creator: long),
            baseVersion: 1, creationDate: date)
        for number in 0..<50 {
            request.add(
                ChangeRequest.Vote(
                    person: "\(number)" + long, actor: long, verdict: .approve, digest: "",
                    liveVersion: 1, comment: long, date: date))
        }
        request.ending = .init(
            participant: .init(person: long, actor: long), version: 2, bypassReason: long,
            date: date)
        let header = ChangeRequestHeader(
            project: "p", id: "1", state: .published, tag: "t", updateTime: date, size: 0)
        let step = ChangeRequestStep(
            publishing: StoredChangeRequest(header: header, request: request),
            by: TemplateVersion.User(name: "token"), over: 1)
        #expect(step.kind == .bypassed)
        #expect(step.title == String(repeating: "🙂", count: 150))
        #expect(step.approvers.count == ChangeRequestStep.mostApprovers)
        #expect(step.author.creator == nil)
        let event = WebhookEvent.changeRequest(step: step)
        #expect(event.record.count < 6_000)
        #expect(try WebhookEvent(record: event.record) == event)
        #expect(throws: TemplateStoreError.self) { try WebhookEvent(record: Data("{}".utf8)) }
    }

    /// Steps of a schedule say its times, and why nothing was published.
    @Test func stepsOfAScheduleHaveItsTimes() throws {
        let date = Date(timeIntervalSince1970: 0)
        let ada = ChangeRequest.Participant(person: "Ada", actor: "a")
        var request = ChangeRequest(
            title: "t", author: .init(person: "Bob", actor: "b"), baseVersion: 1,
            creationDate: date)
        request.schedule = ScheduledPublish(
            start: .init(date: date, text: "start"), end: .init(date: date + 60, text: "end"),
            scheduler: ada, tokenID: "1")
        func step(_ action: AuditEntry.Action, _ request: ChangeRequest) throws -> WebhookEvent? {
            let table = ChangeRequestTable([], at: date, deletedVersion: nil)
            return try table.change(
                by: ChangeRequestSubmission(
                    project: "p", id: "1", request: request,
                    contents: .init(base: Data("{}".utf8), edited: Data("{ }".utf8)),
                    expectation: .absent, action: action, date: date, actor: "a"), over: nil
            ).events.first
        }
        guard case .changeRequest(let scheduled)? = try step(.schedulePublish, request) else {
            Issue.record("no step")
            return
        }
        #expect(scheduled.kind == .scheduled && scheduled.actor == ada)
        #expect(scheduled.scheduledTimes == ["start", "end"] && scheduled.failure == nil)
        request.schedule?.end(.start, with: .init(.conflict, reason: "Because.", date: date))
        guard case .changeRequest(let failed)? = try step(.endScheduledPublish, request) else {
            Issue.record("no step")
            return
        }
        #expect(failed.kind == .scheduleFailed && failed.failure == "CONFLICT: Because.")
        request.schedule?.end(.end, with: .init(.published, version: 9, date: date))
        request.ending = .init(participant: ada, version: 7, date: date)
        let header = ChangeRequestHeader(
            project: "p", id: "1", state: .published, tag: "t", updateTime: date, size: 0)
        let end = ChangeRequestStep(
            publishing: StoredChangeRequest(header: header, request: request),
            by: TemplateVersion.User(name: "token"), over: 8)
        #expect(end.kind == .takenBack && end.versionBefore == 8 && end.versionAfter == 9)
    }
}
