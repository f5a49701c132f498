import Foundation
import HTTPTypes
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOConcurrencyHelpers
import NIOCore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing

@testable import AdminAPI
@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Publishes at a time (API 3), with a clock that stands still.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ScheduledPublishTests {
    private typealias Server = ScheduleTestServer

    private static let beginning = Server.beginning

    private static func template(_ values: [String: String]) -> JSONNode {
        Server.template(values)
    }

    private static func time(_ seconds: Double) -> JSONNode { Server.time(seconds) }

    @Test func aChangeRequestIsPublishedAtItsTime() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 3_600)
        #expect(scheduled.state == "waiting")
        #expect(scheduled.schedule?["outlook"] == "willPublish")
        #expect(scheduled.schedule?["scheduler"]?["person"] == "Ada")
        let next = try await server.perform(at: 3_599)
        #expect(next == Self.beginning + 3_600)
        #expect(try await server.version()?.number == 1)
        // What others publish meanwhile stays.
        await server.publish(["a": "1", "b": "9"])
        #expect(try await server.perform(at: 3_600) == nil)
        #expect(try await server.values() == ["a": "2", "b": "9"])
        let version = try #require(try await server.version())
        #expect(version.updateOrigin == .schedule && version.updateUser.name == "ada")
        let done = await server.get(scheduled.id)
        #expect(done.state == "published" && done.body["state"] == "published")
        #expect(done.schedule?["versionNumber"] == "3" && done.schedule?["late"] == nil)
        #expect(try await server.perform(at: 3_700) == nil)
        #expect(try await server.version()?.number == 3)
        // S11
        let entries = try await server.store.auditEntries(
            inProject: "default", matching: AuditQuery(limit: 1))
        #expect(entries.first?.actor == "ada" && entries.first?.action == .publish)
        let listed = await server.call("GET", "/scheduledPublishes").body["scheduledPublishes"]
        #expect(listed?.arrayValue?.count == 1)
        let requests = await server.call("GET", "/changeRequests").body["changeRequests"]
        #expect(requests?.arrayValue?.first?["schedule"]?["state"] == "published")
    }

    /// M9: what comes after a request whose schedule was cancelled counts, too.
    @Test func aRowDoesNotGetLongerThroughItsCancelledHead() async throws {
        let server = try await Server()
        func row(_ count: Int, from time: Double) async -> [String] {
            var ids: [String] = []
            for place in 0..<count {
                let made = await server.schedule(
                    ["a": "\(place)", "b": "1"], at: time + Double(place), after: ids.last)
                ids.append(made.id)
            }
            return ids
        }
        let (long, short) = (await row(6, from: 600), await row(5, from: 900))
        let head = try #require(long.first)
        let cancelled = await server.call("DELETE", "/scheduledPublishes/\(head)", tag: "*")
        #expect(cancelled.status == 200)
        func schedule(after id: String) async -> Server.Answer {
            await server.call(
                "POST", "/scheduledPublishes",
                [
                    "changeRequest": .string(head), "at": Self.time(1_000),
                    "after": .string(id),
                ], tag: "*")
        }
        let refused = await schedule(after: short[4])
        #expect(refused.status == 400 && refused.message.contains("10 publishes"))
        let scheduled = await schedule(after: short[3])
        #expect(scheduled.status == 201, "\(scheduled.message)")
    }

    /// M8: an end that was missed or refused gets another time, in the name of who chooses it.
    @Test(arguments: [false, true]) func aFailedEndGetsAnotherTime(isMissed: Bool) async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600, until: 1_200)
        let target = "/scheduledPublishes/\(scheduled.id)"
        try await server.perform(at: 600)
        if isMissed {
            try await server.perform(at: 9_000)
        } else {
            await server.publish(["a": "3", "b": "1"])
            try await server.perform(at: 1_200)
            await server.publish(["a": "2", "b": "1"])
        }
        let failed = await server.get(scheduled.id)
        #expect(failed.schedule?["end"]?["state"] == (isMissed ? "missed" : "conflict"))
        let deleted = await server.call("DELETE", target, tag: "*")
        #expect(deleted.status == 409 && deleted.message.contains("PATCH"))
        for (body, advice) in [
            (["at": Server.time(10_000), "until": Server.time(11_000)], "without at"),
            (["zone": "UTC"], "until is missing"), (["until": .null], "until is missing"),
            (["until": Server.time(10)], "has passed"),
        ] as [(JSONNode, String)] {
            let refused = await server.call("PATCH", target, body, tag: "*")
            #expect(refused.status == 400 && refused.message.contains(advice), "\(refused.message)")
        }
        let stale = await server.call(
            "PATCH", target, ["until": Server.time(10_000)], tag: scheduled.tag)
        #expect(stale.status == 412)
        let denied = await server.call(
            "PATCH", target, ["until": Server.time(10_000)], tag: "*", by: Server.bob)
        #expect(denied.status == 403)
        let moved = await server.call(
            "PATCH", target, ["until": Server.time(10_000)], tag: failed.tag, by: Server.root)
        #expect(moved.status == 200, "\(moved.message)")
        #expect(moved.schedule?["end"]?["state"] == "waiting" && moved.state == "published")
        #expect(moved.schedule?["scheduler"]?["actor"] == "environment")
        let listed = await server.call("GET", "/scheduledPublishes?waiting=true")
        #expect(listed.body["scheduledPublishes"]?.arrayValue?.count == 1)
        let twice = await server.call(
            "PATCH", target, ["until": Server.time(11_000)], tag: "*")
        #expect(twice.status == 409 && twice.errorStatus == "SCHEDULE_ENDED")
        #expect(try await server.perform(at: 9_999) == Self.beginning + 10_000)
        try await server.perform(at: 10_000)
        #expect(try await server.values() == ["a": "1", "b": "1"])
        #expect(await server.get(scheduled.id).schedule?["end"]?["state"] == "published")
        let over = await server.call("PATCH", target, ["until": Server.time(11_000)], tag: "*")
        #expect(over.status == 409 && over.message.contains("Undo version"))
    }

    /// What a publish sets stays until those after it are taken back, whichever of them is moved.
    @Test func anEndIsNotBeforeThatOfThePublishAfterIt() async throws {
        let server = try await Server()
        let first = await server.schedule(["a": "2", "b": "1"], at: 100, until: 1_000)
        let second = await server.schedule(
            ["a": "3", "b": "1"], at: 200, until: 900, after: first.id)
        func end(_ id: String, at time: JSONNode) async -> Server.Answer {
            await server.call("PATCH", "/scheduledPublishes/\(id)", ["until": time], tag: "*")
        }
        let early = await end(first.id, at: Server.time(800))
        #expect(early.status == 400 && early.message.contains(second.id), "\(early.message)")
        #expect(await end(first.id, at: .null).status == 200)
        #expect(await end(second.id, at: .null).status == 200)
        let endless = await end(first.id, at: Server.time(1_000))
        #expect(endless.status == 400 && endless.message.contains("no end"), "\(endless.message)")
        #expect(await end(second.id, at: Server.time(900)).status == 200)
        #expect(await end(first.id, at: Server.time(1_000)).status == 200)
        try await server.perform(at: 100)
        for time in [Server.time(1_001), .null] {
            #expect(await end(second.id, at: time).status == 400)
        }
        // Both ends are missed.
        for time in [200.0, 9_000] { try await server.perform(at: time) }
        #expect(await end(second.id, at: Server.time(10_000)).status == 200)
        server.clock.withLockedValue { $0 += 1 }
        let earlier = await end(first.id, at: Server.time(9_500))
        #expect(earlier.status == 400 && earlier.message.contains(second.id), "\(earlier.message)")
        #expect(await end(first.id, at: Server.time(10_000)).status == 200)
        try await server.perform(at: 10_000)
        #expect(try await server.values() == ["a": "1", "b": "1"])
    }

    /// M8: nobody has approved another end.
    @Test func anotherEndOfWhatPeopleApprovedNeedsThePermissionToBypass() async throws {
        let server = try await Server(approvals: 1)
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600, until: 1_200)
        let vote = await server.call(
            "POST", "/changeRequests/\(scheduled.id):approve", [:], tag: scheduled.tag,
            by: Server.bob)
        #expect(vote.status == 200)
        try await server.perform(at: 600)
        try await server.perform(at: 9_000)
        let target = "/scheduledPublishes/\(scheduled.id)"
        let body: JSONNode = ["until": Server.time(10_000)]
        let refused = await server.call("PATCH", target, body, tag: "*")
        #expect(refused.status == 403 && refused.message.contains("bypass"))
        #expect(await server.get(scheduled.id).schedule?["end"]?["state"] == "missed")
        let moved = await server.call("PATCH", target, body, tag: "*", by: Server.root)
        #expect(moved.status == 200, "\(moved.message)")
        try await server.perform(at: 10_000)
        #expect(try await server.values()["a"] == "1")
    }

    /// M8: without an approved start, the gate would refuse another end, too.
    @Test func anotherEndIsRefusedWhereTheStartWasNotApproved() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600, until: 1_200)
        try await server.perform(at: 600)
        let protection = await server.call(
            "PUT", "/protection", ["requiredApprovals": 1], tag: "*", by: Server.root)
        #expect(protection.status == 200)
        try await server.perform(at: 1_200)
        #expect(await server.get(scheduled.id).schedule?["end"]?["state"] == "notApproved")
        let refused = await server.call(
            "PATCH", "/scheduledPublishes/\(scheduled.id)", ["until": Server.time(9_000)],
            tag: "*", by: Server.root)
        #expect(refused.status == 403 && refused.message.contains("version 2"))
    }

    /// A list of what waits has its starts and ends, and spares what is over.
    @Test func whatWaitsIsListed() async throws {
        let server = try await Server()
        let start = await server.schedule(["a": "1", "b": "2"], at: 9_000)
        let end = await server.schedule(["a": "2", "b": "1"], at: 600, until: 9_000)
        let over = await server.schedule(["a": "1", "b": "1", "c": "1"], at: 700)
        let cancelled = await server.schedule(["a": "1", "b": "4"], at: 9_000)
        _ = await server.call("DELETE", "/scheduledPublishes/\(cancelled.id)", tag: "*")
        try await server.perform(at: 700)
        func ids(_ query: String) async -> [String] {
            let answer = await server.call("GET", "/scheduledPublishes" + query)
            #expect(answer.status == 200, "\(answer.message)")
            return answer.body["scheduledPublishes"]?.arrayValue?
                .compactMap { $0["id"]?.stringValue }.sorted() ?? []
        }
        #expect(await ids("?waiting=true") == [start.id, end.id].sorted())
        #expect(await ids("?waiting=true&state=open") == [start.id])
        #expect(await ids("?waiting=false").count == 4)
        #expect(await ids("").contains(over.id))
        #expect(await server.call("GET", "/scheduledPublishes?waiting=1").status == 400)
    }

    // T23, T24, T25
    @Test(arguments: [
        // The clocks go forward.
        ("2027-03-28T02:30:00+01:00", "Europe/Berlin", "2027-03-28T03:00:00+02:00"),
        ("2027-03-28T02:30:00+02:00", "Europe/Berlin", "2027-03-28T03:00:00+02:00"),
        ("2027-10-03T02:10:00+10:30", "Australia/Lord_Howe", "2027-10-03T02:30:00+11:00"),
        // Another offset than the zone has then.
        ("2026-12-01T09:00:00+02:00", "Europe/Berlin", "2026-12-01T09:00:00+01:00"),
        ("2026-12-01T09:00:00Z", "Asia/Kathmandu", "2026-12-01T09:00:00+05:45"),
        ("2026-12-01T09:00:00Z", "America/St_Johns", "2026-12-01T09:00:00-03:30"),
        // No offset, no zone.
        ("2026-12-01T09:00:00", "Europe/Berlin", "offset"), ("2026-12-01 09:00 CET", "", "offset"),
        ("2026-12-01T09:00:00+01:00", "Europe/Berln", "IANA"),
        ("2026-12-01T09:00:00+01:00", "CET", "IANA"),
        ("2026-12-01T09:00:00+01:00", "+01:00", "IANA"),
        ("2026-06-01T08:00:00Z", "", "future"), ("2028-06-10T08:00:00Z", "", "two years"),
    ])
    func timesThatDoNotExistAreRefused(text: String, zone: String, advice: String) async throws {
        let server = try await Server()
        var body: JSONNode = [
            "title": "Title", "template": Self.template(["a": "2"]), "base": "etag-default-1",
            "at": .string(text),
        ]
        body.setMember("zone", zone.isEmpty ? nil : .string(zone))
        let answer = await server.call("POST", "/scheduledPublishes", body)
        #expect(answer.status == 400)
        #expect(answer.message.contains(advice), "\(answer.message)")
    }

    // T23, T25
    @Test(arguments: [
        ("2026-10-25T02:30:00+02:00", "Europe/Berlin", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25T02:30:00+01:00", "Europe/Berlin", "2026-10-25T01:30:00.000Z"),
        ("2027-04-04T01:45:00+11:00", "Australia/Lord_Howe", "2027-04-03T14:45:00.000Z"),
        ("2027-04-04T01:45:00+10:30", "Australia/Lord_Howe", "2027-04-03T15:15:00.000Z"),
        ("2026-12-01T09:00:00+01:00", "Europe/Berlin", "2026-12-01T08:00:00.000Z"),
        ("2027-01-01T00:00:00-00:00", "UTC", "2027-01-01T00:00:00.000Z"),
    ])
    func timesHaveTheOffsetOfTheirDay(text: String, zone: String, utc: String) async throws {
        let server = try await Server()
        let answer = await server.call(
            "POST", "/scheduledPublishes",
            [
                "title": "Title", "template": Self.template(["a": "2"]), "base": "etag-default-1",
                "at": .string(text), "zone": .string(zone),
            ])
        #expect(answer.status == 201, "\(answer.message)")
        #expect(answer.schedule?["at"] == .string(text))
        #expect(answer.schedule?["time"] == .string(utc))
    }

    // T26
    @Test func severalServersPublishOnce() async throws {
        let first = try await Server()
        let second = try await Server(on: first)
        for round in 1...20 {
            let time = Double(round) * 100
            let scheduled = await first.schedule(["a": "x\(round)", "b": "\(round)"], at: time)
            first.clock.withLockedValue { $0 = Self.beginning + time }
            // The first one conflicts with version 1 only in later rounds: rebase on the current.
            _ = await first.call(
                "PATCH", "/changeRequests/\(scheduled.id)",
                [
                    "template": Self.template(["a": "x\(round)", "b": "\(round)"]),
                    "base": .string("etag-default-\(round)"),
                ], tag: "*")
            async let one = first.perform(at: time)
            async let other = second.perform(at: time)
            _ = try await (one, other)
            #expect(try await first.version()?.number == round + 1)
            let entries = try await first.store.auditEntries(
                inProject: "default", matching: AuditQuery(limit: 1_000, actions: [.publish]))
            #expect(entries.count == round + 1)
        }
    }

    /// T26: each version creates one delivery for each receiver.
    @Test func severalServersNotifyEachReceiverOnce() async throws {
        let first = try await Server()
        let second = try await Server(on: first)
        for id in ["w1", "w2"] { try await first.addWebhook(id) }
        for round in 1...20 {
            let time = Double(round) * 100
            let scheduled = await first.schedule(["a": "x\(round)", "b": "1"], at: time)
            _ = await first.call(
                "PATCH", "/changeRequests/\(scheduled.id)",
                [
                    "template": Self.template(["a": "x\(round)", "b": "1"]),
                    "base": .string("etag-default-\(round)"),
                ], tag: "*")
            first.clock.withLockedValue { $0 = Self.beginning + time }
            async let one = first.perform(at: time)
            async let other = second.perform(at: time)
            _ = try await (one, other)
            for id in ["w1", "w2"] {
                let versions = try await first.deliveredVersions(ofWebhook: id)
                #expect(versions == Array(2...(round + 1)), "\(id), round \(round)")
            }
        }
    }

    /// T28: a server that knows the former time reads the schedule before it publishes.
    @Test func aScheduleThatAnotherServerMovedDoesNotHappenAtItsFormerTime() async throws {
        let first = try await Server()
        let second = try await Server(on: first)
        try await first.addWebhook("w")
        let scheduled = await first.schedule(["a": "2", "b": "1"], at: 600)
        #expect(try await second.perform(at: 500) == Self.beginning + 600)
        let moved = await first.call(
            "PATCH", "/scheduledPublishes/\(scheduled.id)", ["at": Self.time(1_200)],
            tag: scheduled.tag)
        #expect(moved.status == 200, "\(moved.message)")
        #expect(try await second.perform(at: 600) == Self.beginning + 1_200)
        #expect(try await second.version()?.number == 1)
        let entries = try await first.store.auditEntries(
            inProject: "default", matching: AuditQuery(limit: 1_000, actions: [.publish]))
        #expect(entries.count == 1)
        #expect(try await first.deliveredVersions(ofWebhook: "w").isEmpty)
        #expect(try await second.perform(at: 1_200) == nil)
        #expect(try await second.version()?.number == 2)
        #expect(try await first.deliveredVersions(ofWebhook: "w") == [2])
    }

    // T28
    @Test func aMovedScheduleDoesNotHappenAtItsFormerTime() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        let target = "/scheduledPublishes/\(scheduled.id)"
        let stale = await server.call("PATCH", target, ["at": Self.time(900)], tag: "\"x\"")
        #expect(stale.status == 412)
        let moved = await server.call(
            "PATCH", target, ["at": Self.time(1_200)], tag: scheduled.tag)
        #expect(moved.status == 200, "\(moved.message)")
        #expect(try await server.perform(at: 600) == Self.beginning + 1_200)
        #expect(try await server.version()?.number == 1)
        let cancelled = await server.call("DELETE", target, tag: moved.tag)
        #expect(cancelled.status == 200 && cancelled.state == "cancelled")
        #expect(cancelled.body["state"] == "open")
        #expect(try await server.perform(at: 1_200) == nil)
        #expect(try await server.version()?.number == 1)
        // S12: what was cancelled cannot be moved.
        let late = await server.call("PATCH", target, ["at": Self.time(9_000)], tag: "*")
        #expect(late.status == 409 && late.errorStatus == "SCHEDULE_ENDED")
        let again = await server.call(
            "POST", "/scheduledPublishes",
            ["changeRequest": .string(scheduled.id), "at": Self.time(2_000)], tag: cancelled.tag)
        #expect(again.status == 201 && again.state == "waiting")
        let twice = await server.call(
            "POST", "/scheduledPublishes",
            ["changeRequest": .string(scheduled.id), "at": Self.time(2_000)], tag: "*")
        #expect(twice.status == 400)
        try await server.perform(at: 2_000)
        #expect(try await server.version()?.number == 2)
    }

    // T29
    @Test(arguments: [(300.0, "published"), (3_599, "published"), (3_601, "missed")])
    func aLatePublishHappensWithinAnHour(delay: Double, state: String) async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        try await server.perform(at: 600 + delay)
        let found = await server.get(scheduled.id)
        #expect(found.state == state)
        #expect(found.schedule?["late"] == (state == "published" ? true : nil))
        #expect(try await server.version()?.number == (state == "published" ? 2 : 1))
        #expect(found.body["state"] == (state == "published" ? "published" : "open"))
        #expect(try await server.perform(at: 20_000) == nil)
        #expect(await server.get(scheduled.id).state == state)
    }

    /// T29: receivers of webhooks are notified of a publish that did not happen.
    @Test func aMissedPublishIsAStep() async throws {
        let server = try await Server()
        try await server.addWebhook("w", topics: [.changeRequest])
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        try await server.perform(at: 600 + 3_601)
        let steps = try await server.steps(ofWebhook: "w")
        #expect(steps.map(\.kind) == [.scheduleFailed, .scheduled])
        #expect(steps.allSatisfy { $0.requestID == scheduled.id })
        #expect(steps.first?.failure?.hasPrefix("MISSED") == true)
    }

    // T30
    @Test func nothingOfThePastHappensAfterARestore() async throws {
        let server = try await Server()
        let past = await server.schedule(["a": "2", "b": "1"], at: 600)
        let future = await server.schedule(["a": "1", "b": "2"], at: 1_200)
        _ = try await server.store.raiseVersions(
            VersionRaise(date: Self.beginning + 700, reason: "restore"))
        try await server.perform(at: 710)
        #expect(await server.get(past.id).state == "missed")
        try await server.perform(at: 1_200)
        #expect(await server.get(future.id).state == "published")
        #expect(try await server.values() == ["a": "1", "b": "2"])
    }

    /// A server that does not sign people in cannot know whether their votes count; another one does.
    @Test func aServerWithoutSignInLeavesVotesToOthers() async throws {
        let server = try await Server(approvals: 1)
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        let eve = SignedInPerson(
            issuer: "https://issuer.example", subject: "eve", address: "eve@shop.example")
        let vote = await server.call(
            "POST", "/changeRequests/\(scheduled.id):approve", [:], tag: scheduled.tag,
            by: Administrator(name: eve.name, role: .editor, owner: eve.name, person: eve))
        #expect(vote.status == 200)
        try await server.perform(at: 600)
        #expect(await server.get(scheduled.id).state == "waiting")
        try await server.perform(at: 600 + 3_601)
        #expect(await server.get(scheduled.id).state == "missed")
    }

    // T31
    @Test func aScheduleWithoutVotesIsNotPublished() async throws {
        let server = try await Server(approvals: 1)
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        #expect(scheduled.schedule?["outlook"] == "needsApproval")
        try await server.perform(at: 600)
        let found = await server.get(scheduled.id)
        #expect(found.state == "notApproved")
        #expect(found.schedule?["reason"]?.stringValue?.contains("1 more approval") == true)
        #expect(found.body["state"] == "open")
        #expect(try await server.version()?.number == 1)
    }

    // T2, S9
    @Test func votesAreForATime() async throws {
        let server = try await Server(approvals: 1)
        var found = await server.schedule(["a": "2", "b": "1"], at: 600)
        let request = "/changeRequests/\(found.id)"
        found = await server.call("POST", request + ":approve", [:], tag: found.tag, by: Server.bob)
        #expect(found.status == 200 && found.schedule?["outlook"] == "willPublish")
        found = await server.call(
            "PATCH", "/scheduledPublishes/\(found.id)", ["at": Self.time(900)], tag: found.tag)
        #expect(found.schedule?["outlook"] == "needsApproval")
        #expect(found.body["votes"]?.arrayValue?.first?["outdated"] == true)
        found = await server.call("POST", request + ":approve", [:], tag: found.tag, by: Server.bob)
        // Only a publisher changes what is published at the time.
        let edited = await server.call(
            "PATCH", request, ["template": Self.template(["a": "3", "b": "1"])], tag: found.tag,
            by: Server.bob)
        #expect(edited.status == 403)
        for (method, target, body) in [
            ("POST", "", ["changeRequest": .string(found.id), "at": Self.time(900)] as JSONNode),
            ("PATCH", "/\(found.id)", ["at": Self.time(901)]), ("DELETE", "/\(found.id)", nil),
        ] as [(String, String, JSONNode?)] {
            let refused = await server.call(
                method, "/scheduledPublishes" + target, body, tag: "*", by: Server.bob)
            #expect(refused.status == 403, "\(method)")
        }
        try await server.perform(at: 900)
        #expect(await server.get(found.id).state == "published")
        // A vote from before the schedule is for any time.
        let made = await server.call(
            "POST", "/changeRequests",
            [
                "title": "Title", "template": Self.template(["a": "2", "b": "7"]),
                "base": "etag-default-2",
            ])
        let voted = await server.call(
            "POST", "/changeRequests/\(made.id):approve", [:], tag: made.tag, by: Server.bob)
        let later = await server.call(
            "POST", "/scheduledPublishes",
            ["changeRequest": .string(made.id), "at": Self.time(2_000)], tag: voted.tag)
        #expect(later.schedule?["outlook"] == "willPublish", "\(later.message)")
        try await server.perform(at: 2_000)
        #expect(try await server.values()["b"] == "7")
    }

    // T32
    @Test func whoScheduledItMustStillBeAllowedTo() async throws {
        let server = try await Server()
        let first = await server.schedule(["a": "2", "b": "1"], at: 600)
        let second = await server.schedule(["a": "1", "b": "2"], at: 700)
        func addToken(_ id: String, role: StoredToken.Role) async throws {
            try await server.store.addToken(
                StoredToken(
                    id: id, name: id, role: role, owner: "Ada", hash: .sha256(of: id),
                    creationDate: Self.beginning), actor: "root")
        }
        try await addToken("ada's viewer", role: .viewer)
        try await addToken("ada's new", role: .publisher)
        _ = try await server.store.revokeToken(id: "ada", actor: "root", date: Self.beginning)
        // A rotated token is not leaving.
        try await server.perform(at: 600)
        #expect(await server.get(first.id).state == "published")
        _ = try await server.store.revokeToken(
            id: "ada's new", actor: "root", date: Self.beginning)
        #expect(await server.get(second.id).schedule?["outlook"] == "notPermitted")
        try await server.perform(at: 700)
        #expect(await server.get(second.id).state == "notPermitted")
        #expect(try await server.version()?.number == 2)
    }

    // T33
    @Test(arguments: [false, true])
    func aRowOfStepsIsNoConflict(isEditedByHand: Bool) async throws {
        let server = try await Server()
        let first = await server.schedule(["a": "10", "b": "1"], at: 100)
        let second = await server.schedule(["a": "50", "b": "1"], at: 200, after: first.id)
        let third = await server.schedule(["a": "100", "b": "1"], at: 300, after: second.id)
        #expect(third.schedule?["outlook"] == "willPublish")
        #expect(third.body["liveChanges"] != nil)
        let early = await server.call(
            "PATCH", "/scheduledPublishes/\(third.id)", ["at": Self.time(150)], tag: "*")
        #expect(early.status == 400)
        try await server.perform(at: 100)
        #expect(try await server.values()["a"] == "10")
        if isEditedByHand { await server.publish(["a": "25", "b": "1"]) }
        try await server.perform(at: 200)
        try await server.perform(at: 300)
        let states = (
            await server.get(second.id).state, await server.get(third.id).state
        )
        if isEditedByHand {
            #expect(states == ("conflict", "waiting"))
            #expect(
                await server.get(second.id).schedule?["reason"]?.stringValue?
                    .contains("parameters.a") == true)
            #expect(await server.get(third.id).schedule?["outlook"] == "waitsForPredecessor")
            #expect(try await server.values()["a"] == "25")
            try await server.perform(at: 300 + 3_601)
            #expect(await server.get(third.id).state == "missed")
        } else {
            #expect(states == ("published", "published"))
            #expect(try await server.values()["a"] == "100")
        }
    }

    @Test func aRowHasAnEnd() async throws {
        let server = try await Server()
        var last = await server.schedule(["a": "0", "b": "1"], at: 100)
        for step in 1..<10 {
            last = await server.schedule(
                ["a": "s\(step)", "b": "1"], at: 100 + Double(step), after: last.id)
        }
        let body: JSONNode = [
            "title": "Title", "template": Self.template(["a": "z"]), "at": Self.time(500),
            "after": .string(last.id),
        ]
        let tooLong = await server.call("POST", "/scheduledPublishes", body)
        #expect(tooLong.status == 400 && tooLong.message.contains("10"), "\(tooLong.message)")
        for step in 0..<10 { try await server.perform(at: 100 + Double(step)) }
        #expect(try await server.values()["a"] == "s9")
        #expect(try await server.version()?.number == 11)
    }

    // T34
    @Test func theEndTakesBackWhatIsStillAsSet() async throws {
        let server = try await Server(approvals: 1)
        let scheduled = await server.schedule(["a": "2", "b": "2"], at: 600, until: 1_200)
        _ = await server.call(
            "POST", "/changeRequests/\(scheduled.id):approve", [:], tag: scheduled.tag,
            by: Server.bob)
        #expect(try await server.perform(at: 600) == Self.beginning + 1_200)
        await server.publish(["a": "2", "b": "3", "c": "1"])
        try await server.perform(at: 1_200)
        #expect(try await server.values() == ["a": "1", "b": "3", "c": "1"])
        let end = await server.get(scheduled.id).schedule?["end"]
        #expect(end?["state"] == "published" && end?["versionNumber"] == "4")
        #expect(end?["kept"] == ["parameters.b.defaultValue"])
        #expect(try await server.version()?.updateType == .undo)
    }

    @Test func anEndIsDroppedWithItsStart() async throws {
        let server = try await Server(approvals: 1)
        let scheduled = await server.schedule(["a": "2", "b": "2"], at: 600, until: 1_200)
        try await server.perform(at: 600)
        #expect(try await server.perform(at: 1_200) == nil)
        let found = await server.get(scheduled.id)
        #expect(found.state == "notApproved" && found.schedule?["end"]?["state"] == "dropped")
        #expect(try await server.version()?.number == 1)
    }

    @Test func theEndAloneCanBeCancelled() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "2"], at: 600, until: 1_200)
        try await server.perform(at: 600)
        let found = await server.get(scheduled.id)
        #expect(found.schedule?["end"]?["state"] == "waiting")
        let cancelled = await server.call(
            "DELETE", "/scheduledPublishes/\(scheduled.id)", tag: found.tag)
        #expect(cancelled.status == 200, "\(cancelled.message)")
        #expect(cancelled.state == "published")
        #expect(cancelled.schedule?["end"]?["state"] == "cancelled")
        #expect(try await server.perform(at: 1_200) == nil)
        #expect(try await server.values() == ["a": "2", "b": "2"])
    }

    // T35
    @Test func aPublishByHandNamesTheTime() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        let publish = "/changeRequests/\(scheduled.id):publish"
        let refused = await server.call("POST", publish, [:], tag: scheduled.tag)
        #expect(refused.status == 409 && refused.errorStatus == "SCHEDULED_PUBLISH")
        #expect(refused.message.contains("2026-06-01T08:10:00Z"), "\(refused.message)")
        let published = await server.call(
            "POST", publish, ["cancelSchedule": true], tag: scheduled.tag)
        #expect(published.status == 200, "\(published.message)")
        #expect(await server.get(scheduled.id).state == "cancelled")
        #expect(try await server.perform(at: 600) == nil)
        let late = await server.call(
            "PATCH", "/scheduledPublishes/\(scheduled.id)", ["at": Self.time(900)], tag: "*")
        #expect(late.status == 409)
        #expect(try await server.version()?.number == 2)
    }

    // T17
    @Test func aDeletedProjectPublishesNothing() async throws {
        let other = try await Server()
        let open = await other.schedule(["a": "2", "b": "1"], at: 600)
        _ = await other.call("PATCH", "/details", ["archived": true], tag: "*")
        _ = await other.call("DELETE", "?confirm=default")
        #expect(try await other.perform(at: 600) == nil)
        let found = await other.call("GET", "/changeRequests/\(open.id)")
        #expect(found.body["state"] == "closed" && found.state == "cancelled")
    }

    @Test func anArchivedProjectPublishesOnceItIsNot() async throws {
        let server = try await Server()
        let soon = await server.schedule(["a": "2", "b": "1"], at: 600)
        func archive(_ isArchived: Bool) async {
            let answer = await server.call(
                "PATCH", "/details", ["archived": .bool(isArchived)], tag: "*")
            #expect(answer.status == 200, "\(answer.message)")
        }
        for (time, state) in [(700.0, "published"), (5_000, "missed")] {
            let late =
                state == "missed" ? await server.schedule(["a": "2", "b": "3"], at: 900) : soon
            await archive(true)
            try await server.perform(at: time)
            #expect(await server.get(late.id).state == "waiting")
            await archive(false)
            try await server.perform(at: time + 1)
            #expect(await server.get(late.id).state == state)
        }
        #expect(try await server.version()?.number == 2)
    }

    @Test func aClosedRequestIsNotPublished() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        let closed = await server.call(
            "POST", "/changeRequests/\(scheduled.id):close", [:], tag: scheduled.tag)
        #expect(closed.state == "cancelled")
        #expect(try await server.perform(at: 600) == nil)
        #expect(try await server.version()?.number == 1)
    }

    private static let wrongBodies: [(JSONNode, String)] = [
        (["at": "2026-06-01T09:00:00Z"], "title"),
        (["title": "x", "draft": true], "at is missing"),
        (["at": 5, "title": "x"], "RFC 3339"),
        (
            [
                "at": "2026-06-01T09:00:00Z", "until": "2026-06-01T09:00:30Z", "title": "x",
            ], "until"
        ),
        (["at": "2026-06-01T09:00:00Z", "changeRequest": "x", "title": "x"], "either"),
        (["at": "2026-06-01T09:00:00Z", "changeRequest": 1], "changeRequest"),
        (["at": "2026-06-01T09:00:00Z", "after": 1, "title": "x"], "after"),
        (["at": "2026-06-01T09:00:00Z", "when": 1], "when"),
    ]

    @Test(arguments: wrongBodies)
    func aWrongBodyIsRefused(body: JSONNode, advice: String) async throws {
        let server = try await Server()
        let answer = await server.call("POST", "/scheduledPublishes", body, tag: "*")
        #expect(answer.status == 400)
        #expect(answer.message.contains(advice), "\(answer.message)")
    }

    @Test func aRequestThatWasNeverScheduledIsNotFound() async throws {
        let server = try await Server()
        let made = await server.call(
            "POST", "/changeRequests",
            ["title": "x", "template": Self.template(["a": "2"]), "base": "etag-default-1"])
        for id in [made.id, "none"] {
            #expect(await server.get(id).status == 404)
            let moved = await server.call(
                "PATCH", "/scheduledPublishes/\(id)", ["at": Self.time(1)], tag: "*")
            #expect(moved.status == 404)
            let cancelled = await server.call("DELETE", "/scheduledPublishes/\(id)", tag: "*")
            #expect(cancelled.status == 404)
        }
        let listed = await server.call("GET", "/scheduledPublishes").body["scheduledPublishes"]
        #expect(listed == [])
    }

    /// Also through a cancelled schedule, which can be scheduled again.
    @Test func noScheduleComesAfterItself() async throws {
        let server = try await Server()
        let first = await server.schedule(["a": "2", "b": "1"], at: 100)
        let second = await server.schedule(["a": "2", "b": "2"], at: 200, after: first.id)
        let cancelled = await server.call(
            "DELETE", "/scheduledPublishes/\(first.id)", tag: first.tag)
        #expect(cancelled.status == 200)
        for after in [second.id, first.id] {
            let answer = await server.call(
                "POST", "/scheduledPublishes",
                [
                    "changeRequest": .string(first.id), "at": Self.time(300),
                    "after": .string(after),
                ], tag: "*")
            #expect(answer.status == 400, "\(answer.message)")
        }
    }

    /// Votes on a step are not outdated by the publish of the step before it, whose number has a gap
    /// before it after a restore.
    @Test(arguments: [false, true])
    func approvedStepsFollowEachOther(isRestored: Bool) async throws {
        let server = try await Server(approvals: 1)
        var steps: [Server.Answer] = []
        for number in 1...3 {
            let made = await server.schedule(
                ["a": "\(number)0", "b": "1"], at: Double(number) * 100, after: steps.last?.id)
            steps.append(
                await server.call(
                    "POST", "/changeRequests/\(made.id):approve", [:], tag: made.tag,
                    by: Server.bob))
        }
        if isRestored {
            _ = try await server.store.raiseVersions(
                VersionRaise(date: Self.beginning, reason: "restore"))
        }
        for (place, step) in steps.enumerated() {
            try await server.perform(at: Double(place + 1) * 100)
            #expect(await server.get(step.id).state == "published")
        }
        #expect(try await server.values()["a"] == "30")
        let number = try #require(try await server.version()).number
        // Another edit of the first one is another basis of the second one.
        let first = await server.schedule(["a": "40", "b": "1"], at: 1_000)
        let second = await server.schedule(["a": "50", "b": "1"], at: 1_100, after: first.id)
        for made in [first, second] {
            _ = await server.call(
                "PATCH", "/changeRequests/\(made.id)",
                [
                    "template": Self.template(["a": made.id == first.id ? "40" : "50", "b": "1"]),
                    "base": .string("etag-default-\(number)"),
                ], tag: "*")
            let seen = await server.get(made.id)
            _ = await server.call(
                "POST", "/changeRequests/\(made.id):approve", [:], tag: seen.tag, by: Server.bob)
        }
        try await server.perform(at: 1_000)
        #expect(await server.get(first.id).state == "published")
        try await server.perform(at: 1_100)
        #expect(await server.get(second.id).state == "conflict")
    }

    /// Who publishes a step by hand does not publish the step before it.
    @Test func aStepThatIsPublishedByHandComesAlone() async throws {
        let server = try await Server(approvals: 1)
        let first = await server.schedule(["a": "10", "b": "1"], at: 100)
        let second = await server.schedule(["a": "10", "b": "2"], at: 200, after: first.id)
        let cancelled = await server.call(
            "DELETE", "/scheduledPublishes/\(second.id)", tag: second.tag)
        let scheduled = await server.call(
            "POST", "/scheduledPublishes",
            [
                "changeRequest": .string(second.id), "at": Self.time(200),
                "after": .string(first.id),
            ], tag: cancelled.tag)
        let request = "/changeRequests/\(second.id)"
        let approved = await server.call(
            "POST", request + ":approve", [:], tag: scheduled.tag, by: Server.bob)
        #expect(approved.schedule?["outlook"] == "waitsForPredecessor")
        // The vote was for the time.
        let refused = await server.call(
            "POST", request + ":publish", ["cancelSchedule": true], tag: approved.tag)
        #expect(refused.errorStatus == "APPROVAL_REQUIRED")
        let published = await server.call(
            "POST", request + ":publish?bypass=Test", ["cancelSchedule": true],
            tag: approved.tag, by: Server.root)
        #expect(published.status == 200, "\(published.message)")
        #expect(try await server.values() == ["a": "1", "b": "2"])
    }

    /// A vote from before an end was planned is not for the end.
    @Test func anEarlierVoteIsForNoEnd() async throws {
        let server = try await Server(approvals: 1)
        let made = await server.call(
            "POST", "/changeRequests",
            [
                "title": "Title", "template": Self.template(["a": "2", "b": "1"]),
                "base": "etag-default-1",
            ])
        let voted = await server.call(
            "POST", "/changeRequests/\(made.id):approve", [:], tag: made.tag, by: Server.bob)
        let scheduled = await server.call(
            "POST", "/scheduledPublishes",
            ["changeRequest": .string(made.id), "at": Self.time(600), "until": Self.time(900)],
            tag: voted.tag)
        #expect(scheduled.schedule?["outlook"] == "needsApproval")
    }

    /// What others had set to the same before the start is theirs.
    @Test func theEndKeepsWhatWasThereBeforeTheStart() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(
            ["a": "2", "b": "2", "c": "2"], at: 600, until: 1_200)
        await server.publish(["a": "2", "b": "1", "c": "2"])
        try await server.perform(at: 600)
        #expect(try await server.values() == ["a": "2", "b": "2", "c": "2"])
        try await server.perform(at: 1_200)
        #expect(try await server.values() == ["a": "2", "b": "1", "c": "2"])
        #expect(await server.get(scheduled.id).schedule?["end"]?["state"] == "published")
    }

    /// Ends at one time come in the reverse order of their starts.
    @Test func theEndsOfARowTakeAllOfItBack() async throws {
        let server = try await Server()
        var steps: [String] = []
        for number in 1...3 {
            steps.append(
                await server.schedule(
                    ["a": "\(number)0", "b": "1"], at: Double(number) * 100, until: 1_000,
                    after: steps.last
                ).id)
        }
        for number in 1...3 { try await server.perform(at: Double(number) * 100) }
        #expect(try await server.values()["a"] == "30")
        try await server.perform(at: 1_000)
        #expect(try await server.values()["a"] == "1")
        for id in steps {
            #expect(await server.get(id).schedule?["end"]?["state"] == "published")
        }
        let first = await server.schedule(["a": "7", "b": "1"], at: 2_000, until: 3_000)
        for end in [nil, 3_001] as [Double?] {
            var body: JSONNode = [
                "title": "x", "template": Self.template(["a": "8"]), "at": Self.time(2_500),
                "after": .string(first.id),
            ]
            body.setMember("until", end.map { Self.time($0) })
            let refused = await server.call("POST", "/scheduledPublishes", body)
            #expect(
                refused.status == 400 && refused.message.contains("until"), "\(refused.message)")
        }
    }

    @Test func theEndOfWhatNobodyApprovedNeedsApprovals() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600, until: 1_200)
        try await server.perform(at: 600)
        let protected = await server.call(
            "PUT", "/protection", ["requiredApprovals": 1], tag: "*", by: Server.root)
        #expect(protected.status == 200)
        try await server.perform(at: 1_200)
        let end = await server.get(scheduled.id).schedule?["end"]
        #expect(end?["state"] == "notApproved")
        #expect(try await server.values()["a"] == "2")
    }

    /// An approval for a time is none for now.
    @Test(arguments: [false, true])
    func anApprovalForATimeIsNoneForNow(isCancelled: Bool) async throws {
        let server = try await Server(approvals: 1)
        var found = await server.schedule(["a": "2", "b": "1"], at: 600)
        let request = "/changeRequests/\(found.id)"
        found = await server.call("POST", request + ":approve", [:], tag: found.tag, by: Server.bob)
        if isCancelled {
            found = await server.call(
                "DELETE", "/scheduledPublishes/\(found.id)", tag: found.tag)
        }
        let refused = await server.call(
            "POST", request + ":publish", ["cancelSchedule": true], tag: found.tag)
        #expect(refused.errorStatus == "APPROVAL_REQUIRED")
        guard isCancelled else { return }
        found = await server.call("POST", request + ":approve", [:], tag: found.tag, by: Server.bob)
        let published = await server.call("POST", request + ":publish", [:], tag: found.tag)
        #expect(published.status == 200, "\(published.message)")
    }

    /// However many comments it has.
    @Test func aFullRequestCanBeCancelled() async throws {
        let server = try await Server(approvals: 1)
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600)
        let waiting = await server.schedule(["a": "1", "b": "2"], at: 700)
        let text = JSONNode.string(String(repeating: "\u{1}", count: 1_000))
        for id in [scheduled.id, waiting.id] {
            for size in [1_000, 100, 10, 1] {
                var status = 201
                while status == 201 {
                    let comment =
                        size == 1_000 ? text : .string(String(repeating: "x", count: size))
                    status = await server.call(
                        "POST", "/changeRequests/\(id)/comments", ["text": comment], by: Server.bob
                    ).status
                }
                #expect(status == 400)
            }
        }
        try await server.perform(at: 600)
        #expect(await server.get(scheduled.id).state == "notApproved")
        let cancelled = await server.call(
            "DELETE", "/scheduledPublishes/\(waiting.id)", tag: "*")
        #expect(cancelled.state == "cancelled", "\(cancelled.message)")
    }

    /// Once the publish that comes first is moved behind it, or is gone.
    @Test func aPublishThatLostItsPredecessorDoesNotHappen() async throws {
        let server = try await Server()
        let first = await server.schedule(["a": "2", "b": "1"], at: 100)
        let second = await server.schedule(["a": "2", "b": "2"], at: 200, after: first.id)
        let moved = await server.call(
            "PATCH", "/scheduledPublishes/\(first.id)", ["at": Self.time(300)], tag: "*")
        #expect(moved.status == 200)
        #expect(await server.get(second.id).schedule?["outlook"] == "waitsForPredecessor")
        try await server.perform(at: 200)
        #expect(await server.get(second.id).state == "waiting")
        try await server.perform(at: 300)
        try await server.perform(at: 301)
        #expect(await server.get(second.id).state == "published")
        let third = await server.schedule(["a": "3", "b": "2"], at: 400)
        let fourth = await server.schedule(["a": "3", "b": "3"], at: 59 * 86_400, after: third.id)
        let closed = await server.call("POST", "/changeRequests/\(third.id):close", [:], tag: "*")
        #expect(closed.status == 200)
        #expect(await server.get(fourth.id).schedule?["outlook"] == "conflict")
        // Its record goes in time.
        for days in [91.0, 99] {
            try await server.store.removeExpiredChangeRequests(
                at: Self.beginning + days * 86_400)
        }
        #expect(await server.call("GET", "/changeRequests/\(third.id)").status == 404)
        try await server.perform(at: 59 * 86_400)
        #expect(await server.get(fourth.id).state == "conflict")
        let late = await server.call(
            "POST", "/scheduledPublishes",
            [
                "title": "x", "template": Self.template(["a": "9"]), "base": "etag-default-1",
                "at": Self.time(130 * 86_400),
                "after": .string(await server.schedule(["a": "8"], at: 60 * 86_400).id),
            ])
        #expect(late.status == 400 && late.message.contains("60 days"), "\(late.message)")
    }

    /// A server without the token of the environment leaves what that has scheduled to others.
    @Test func aServerThatDoesNotKnowTheSchedulerLeavesItToOthers() async throws {
        let server = try await Server()
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600, by: Server.root)
        let other = try await Server(on: server, environmentToken: nil)
        try await other.perform(at: 600)
        #expect(await server.get(scheduled.id).state == "waiting")
        try await server.perform(at: 601)
        #expect(await server.get(scheduled.id).state == "published")
        let late = await server.schedule(["a": "2", "b": "2"], at: 700, by: Server.root)
        try await other.perform(at: 5_000)
        #expect(await server.get(late.id).state == "missed")
    }

    /// Another token of a program's name is another program.
    @Test func aProgramIsItsToken() async throws {
        let program = Administrator(name: "ci", role: .publisher)
        let server = try await Server(with: [program])
        let scheduled = await server.schedule(["a": "2", "b": "1"], at: 600, by: program)
        _ = try await server.store.revokeToken(id: "ci", actor: "root", date: Self.beginning)
        try await server.store.addToken(
            StoredToken(
                id: "ci 2", name: "ci", role: .publisher, hash: .sha256(of: "ci 2"),
                creationDate: Self.beginning), actor: "root")
        try await server.perform(at: 600)
        #expect(await server.get(scheduled.id).state == "notPermitted")
    }

    @Test func aMoveChecksTheZone() async throws {
        let server = try await Server()
        let made = await server.call(
            "POST", "/scheduledPublishes",
            [
                "title": "x", "template": Self.template(["a": "2"]), "base": "etag-default-1",
                "at": "2026-12-01T09:00:00+01:00", "zone": "Europe/Berlin",
            ])
        let target = "/scheduledPublishes/\(made.id)"
        for (body, status) in [
            ([:], 400), (["zone": "America/New_York"], 400), (["zone": "Europe/Berlin\0"], 400),
            (["zone": "Europe/Paris"], 200), (["zone": "UTC", "at": "2026-12-01T09:00:00Z"], 200),
            (["zone": .null], 200),
        ] as [(JSONNode, Int)] {
            let answer = await server.call("PATCH", target, body, tag: "*")
            #expect(answer.status == status, "\(body): \(answer.message)")
            if status == 200 { #expect(answer.schedule?["zone"] ?? .null == body["zone"]) }
        }
    }

    /// The service of a real server, by the real clock.
    @Test func aServerPublishesAtTheTime() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            #expect(try await server.publish(Self.template(["a": "1"])).status == 200)
            let time = Date() + 1.5
            let answer = try await server.administer(
                "POST", Server.path + "/scheduledPublishes",
                body: [
                    "title": "Title", "template": Self.template(["a": "2"]),
                    "base": "etag-default-1", "at": .string(time.timestamp),
                ])
            #expect(answer.status == 201, "\(answer.error?.message ?? "")")
            try await waitUntil {
                try await store.template(version: nil, inProject: "default")?.version.number == 2
            }
            let late = Date().timeIntervalSince(time)
            #expect(late >= 0 && late < 10)
        }
    }

    @Test func aClockThatIsSetAheadIsNotBelievedAtOnce() {
        var clock = ClockCheck()
        let start = ContinuousClock.now
        #expect(clock.waitingTime(at: Self.beginning, start) == .zero)
        #expect(clock.waitingTime(at: Self.beginning + 30, start + .seconds(30)) == .zero)
        let jump = clock.waitingTime(at: Self.beginning + 5_000, start + .seconds(40))
        #expect(jump == .seconds(60))
        #expect(
            clock.waitingTime(at: Self.beginning + 5_050, start + .seconds(90)) == .seconds(10))
        #expect(clock.waitingTime(at: Self.beginning + 5_060, start + .seconds(100)) == .zero)
        // Ahead, and back within the minute.
        #expect(clock.waitingTime(at: Self.beginning + 9_000, start + .seconds(101)) > .zero)
        #expect(clock.waitingTime(at: Self.beginning + 5_062, start + .seconds(102)) == .zero)
    }
}
