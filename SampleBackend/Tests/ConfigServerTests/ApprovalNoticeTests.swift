import Foundation
import InMemoryTemplateStore
import JSONTree
import NIOConcurrencyHelpers
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import WebhookDelivery

/// Warnings before the times of schedules that lack approvals, with a clock that stands still.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ApprovalNoticeTests {
    private typealias Server = ScheduleTestServer

    private static let (hour, day) = (3_600.0, 86_400.0)

    private static func warnings(on server: Server) async throws -> [ChangeRequestStep] {
        try await server.steps(ofWebhook: "w").filter { $0.kind == .approvalsLacking }
    }

    /// S8, T26: each warning is one event, whichever servers look.
    @Test func lackingApprovalsAreAStepADayAndAnHourBefore() async throws {
        let first = try await Server(approvals: 2)
        let second = try await Server(on: first)
        try await first.addWebhook("w", topics: [.changeRequest])
        let start = 3 * Self.day
        let scheduled = await first.schedule(["a": "2", "b": "1"], at: start)
        #expect(scheduled.schedule?["outlook"] == "needsApproval")
        #expect(scheduled.schedule?["outlookReason"] == "2 more approvals are needed.")
        #expect(try await first.perform(at: 1) == Server.beginning + 2 * Self.day)
        try await first.perform(at: start - Self.day - 1)
        #expect(try await Self.warnings(on: first).isEmpty)
        first.clock.withLockedValue { $0 = Server.beginning + start - Self.day }
        async let one = first.perform(at: start - Self.day)
        async let other = second.perform(at: start - Self.day)
        #expect(try await [one, other].allSatisfy { $0 == Server.beginning + start - Self.hour })
        var warnings = try await Self.warnings(on: first)
        #expect(warnings.map(\.missingApprovals) == [2])
        #expect(warnings.first?.requestID == scheduled.id && warnings.first?.actor == nil)
        #expect(warnings.first?.scheduledTimes?.count == 1)
        let warned = await first.get(scheduled.id)
        #expect(warned.tag != scheduled.tag)
        #expect(warned.body["updateTime"] == scheduled.body["updateTime"])
        // A server that starts then, and one that looks again.
        try await Server(on: first).perform(at: start - Self.day + 60)
        try await second.perform(at: start - Self.hour - 1)
        #expect(try await Self.warnings(on: first).count == 1)
        let vote = await first.call(
            "POST", "/changeRequests/\(scheduled.id):approve", [:], tag: warned.tag,
            by: Server.bob)
        #expect(vote.status == 200, "\(vote.message)")
        #expect(vote.schedule?["outlookReason"] == "1 more approval is needed.")
        try await second.perform(at: start - Self.hour)
        try await first.perform(at: start - 1)
        warnings = try await Self.warnings(on: first)
        #expect(warnings.map(\.missingApprovals) == [1, 2])
        #expect(warnings.first?.approvers == ["Bob"])
        try await first.perform(at: start)
        #expect(await first.get(scheduled.id).state == "notApproved")
        let entries = try await first.store.auditEntries(
            inProject: "default", matching: AuditQuery(actions: [.warnOfLackingApprovals]))
        #expect(
            entries.map(\.detail) == [
                "Title: 1 more approval is needed", "Title: 2 more approvals are needed",
            ])
    }

    /// S8: nobody is warned of what was known when the publish was scheduled, or of what suffices.
    @Test func nobodyIsWarnedWithoutNeed() async throws {
        let server = try await Server(approvals: 1)
        try await server.addWebhook("w", topics: [.changeRequest])
        let soon = await server.schedule(["a": "2", "b": "1"], at: 1_800)
        let today = await server.schedule(["a": "1", "b": "2"], at: 2 * Self.hour)
        let approved = await server.schedule(["a": "3", "b": "1"], at: 2 * Self.day)
        let vote = await server.call(
            "POST", "/changeRequests/\(approved.id):approve", [:], tag: approved.tag,
            by: Server.bob)
        #expect(vote.schedule?["outlookReason"] == nil && vote.status == 200)
        try await server.perform(at: 60)
        #expect(try await Self.warnings(on: server).isEmpty)
        try await server.perform(at: Self.hour)
        #expect(try await Self.warnings(on: server).map(\.requestID) == [today.id])
        try await server.perform(at: Self.day)
        try await server.perform(at: 2 * Self.day - 1)
        #expect(try await Self.warnings(on: server).count == 1)
        #expect(await server.get(soon.id).state == "notApproved")
    }

    /// Another time has warnings of its own.
    @Test func aMovedScheduleIsWarnedOfAgain() async throws {
        let server = try await Server(approvals: 1)
        try await server.addWebhook("w", topics: [.changeRequest])
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 2 * Self.day)
        try await server.perform(at: Self.day)
        let moved = await server.call(
            "PATCH", "/scheduledPublishes/\(scheduled.id)", ["at": Server.time(5 * Self.day)],
            tag: "*")
        #expect(moved.status == 200, "\(moved.message)")
        try await server.perform(at: 4 * Self.day - 1)
        #expect(try await Self.warnings(on: server).count == 1)
        try await server.perform(at: 4 * Self.day)
        #expect(try await Self.warnings(on: server).count == 2)
    }

    /// S8: a project that is archived has no warnings until it is not archived any more.
    @Test func anArchivedProjectIsCheckedLater() async throws {
        let server = try await Server(approvals: 1)
        try await server.addWebhook("w", topics: [.changeRequest])
        _ = await server.schedule(["a": "2", "b": "1"], at: 2 * Self.day)
        func archive(_ isArchived: Bool) async {
            let answer = await server.call(
                "PATCH", "/details", ["archived": .bool(isArchived)], tag: "*", by: Server.root)
            #expect(answer.status == 200, "\(answer.message)")
        }
        await archive(true)
        try await server.perform(at: Self.day)
        #expect(try await Self.warnings(on: server).isEmpty)
        await archive(false)
        try await server.perform(at: Self.day + 1)
        #expect(try await Self.warnings(on: server).count == 1)
    }

    /// S8: the start of a rollout is warned of, too, and whoever requests changes is named.
    @Test func theStartOfARolloutIsWarnedOf() async throws {
        let server = try await Server(
            approvals: 1,
            template: [
                "conditions": [["name": "Beta", "expression": "percent('x') <= 0"]],
                "parameters": [
                    "a": [
                        "defaultValue": ["value": "1"],
                        "conditionalValues": ["Beta": ["value": "2"]],
                    ]
                ],
            ])
        try await server.addWebhook("w", topics: [.changeRequest])
        let rollout = await server.call(
            "POST", "/rollouts",
            [
                "condition": "Beta", "percents": [1, 100], "intervalMinutes": 60,
                "at": Server.time(2 * Self.day),
            ])
        #expect(rollout.status == 201, "\(rollout.message)")
        let vote = await server.call(
            "POST", "/changeRequests/\(rollout.id):requestChanges", [:], tag: rollout.tag,
            by: Server.bob)
        #expect(
            vote.schedule?["outlookReason"]
                == "1 more approval is needed, and changes are requested by Bob.",
            "\(vote.message)")
        try await server.perform(at: Self.day)
        let warning = try #require(try await Self.warnings(on: server).first)
        #expect(warning.missingApprovals == 1 && warning.rejections == ["Bob"])
        let delivery = try #require(
            try await server.store.deliveries(ofWebhook: "w", inProject: "default", limit: 1)
                .first)
        let webhook = try #require(try await server.store.webhooks(inProject: "default").first)
        let message = DeliveryMessage(
            ClaimedDelivery(delivery: delivery, webhook: webhook, knownVersion: 1),
            changedSections: [],
            date: Server.beginning)
        let body = try JSONNode(jsonData: message.body)
        #expect(body["step"] == "approvalsLacking" && body["missingApprovals"] == 1)
        #expect(body["changesRequestedBy"] == ["Bob"])
        #expect(body["time"] == .string("2026-06-02T08:00:00.000Z"))
    }
}
