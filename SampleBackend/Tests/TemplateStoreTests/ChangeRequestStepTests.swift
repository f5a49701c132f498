import Foundation
import TemplateStore
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
            publishing: StoredChangeRequest(header: header, request: request), over: 1)
        #expect(step.kind == .bypassed)
        #expect(step.title == String(repeating: "🙂", count: 150))
        #expect(step.approvers.count == ChangeRequestStep.mostApprovers)
        #expect(step.author.creator == nil)
        let event = WebhookEvent.changeRequest(step: step)
        #expect(event.record.count < 6_000)
        #expect(try WebhookEvent(record: event.record) == event)
        #expect(throws: TemplateStoreError.self) { try WebhookEvent(record: Data("{}".utf8)) }
    }
}
