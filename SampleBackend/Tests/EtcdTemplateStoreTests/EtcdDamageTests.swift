import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import EtcdTemplateStore

@Suite("Damaged or foreign records in etcd", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdDamageTests {
    /// A number that no store assigns is reported as damage; the process continues.
    @Test(arguments: [
        ("change", "number", "9223372036854775807"), ("change", "number", "-5"),
        ("change", "number", "0"), ("change", "version", "9223372036854775807"),
        ("projects/p", "number", "9223372036854775807"), ("projects/p", "number", "-1"),
        ("projects/p", "updateTime", "9223372036854775807"),
        ("webhooks/p/w", "knownVersion", "-9223372036854775808"),
        ("pending/p/w/0000000001", "version", "-9223372036854775808"),
        ("pending/p/w/0000000001", "attempts", "9223372036854775807"),
        ("pending/p/w/0000000001", "creation", "-9223372036854775808"),
    ])
    func aNumberOutOfRangeIsDamage(_ key: String, _ field: String, _ number: String) async throws {
        try await withStore { store, _ in
            try await store.submit()
            try await store.addWebhook(.make("w"))
            try await store.submit()
            try await store.replace(field, with: number, at: key)
            let error = try await storeError { try await store.submit() }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("/\(key)'") == true, "\(String(describing: error))")
        }
    }

    /// A number that could not be read again is not stored.
    @Test func theVersionAfterTheLastIsNotStored() async throws {
        try await withStore { store, _ in
            try await store.submit("1")
            let last = VersionRecord.numbers.upperBound
            try await store.replace("number", with: "\(last)", at: "projects/p")
            let error = try await storeError { try await store.submit("2") }
            #expect(error?.code == .outOfSpace)
            #expect(
                try await store.template(version: nil, inProject: "p")?.content == Data("1".utf8))
            #expect(try await store.snapshot().templates.map(\.version.number) == [last])
        }
    }

    /// A gap in the audit trail is reported, not searched to its end.
    @Test func aGapInTheAuditTrailIsDamage() async throws {
        try await withStore { store, _ in
            try await store.submit()
            try await store.replace("number", with: "999999999999998", at: "change")
            let error = try await storeError {
                _ = try await store.auditEntries(
                    inProject: "p", matching: AuditQuery(limit: 10))
            }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("/audit/0999999999999998'") == true)
        }
    }

    /// A stored date outside the valid range is reported as damage.
    @Test func theUseOfATokenIsNotFarFromNow() async throws {
        try await withStore { store, _ in
            try await store.put(#"{"dates":{"t":-9223372036854775808}}"#, at: "uses")
            let token = StoredToken(
                id: "t", name: "n", role: .viewer, hash: Data([1]), creationDate: testDate)
            try await store.addToken(token, actor: "a")
            let error = try await storeError { try await store.recordUses(["t": testDate]) }
            #expect(error?.code == .damaged)
        }
    }

    /// A snapshot omits pinned values that cannot be read, so that a server can start.
    @Test func oneUnreadablePinDoesNotAffectOtherUsers() async throws {
        try await withStore { store, _ in
            try await store.submit()
            try await store.setOverrides(
                OverridesChange(
                    project: "p", userID: "1", content: Data("{}".utf8), date: testDate,
                    actor: "a"))
            try await store.put("garbage", at: "overrides/p/2")
            // As if a part had been lost.
            try await store.put(
                #"{"reference":{"id":"x","parts":1,"size":1},"tag":"t"}"#, at: "overrides/p/3")
            let snapshot = try await store.snapshot()
            #expect(snapshot.overrides == ["p": [Data("1".utf8): Data("{}".utf8)]])
            #expect(snapshot.omissions.count == 2)
            for (omission, user) in zip(snapshot.omissions, ["2", "3"]) {
                #expect(omission.contains("/overrides/p/\(user)'"), "\(omission)")
            }
        }
    }

    /// The webhooks of other receivers get their deliveries.
    @Test func anUnreadableDeliveryStopsNoOtherWebhook() async throws {
        try await withStore { store, _ in
            try await store.submit()
            for id in ["u", "v", "w"] { try await store.addWebhook(.make(id)) }
            try await store.submit()
            try await store.put("garbage", at: "pending/p/w/0000000001")
            try await store.put("garbage", at: "webhooks/p/u")
            #expect(try await store.nextDeliveryDate() == testDate)
            let claimed = try await store.claimDeliveries(
                date: testDate, until: testDate + 60, limit: 9)
            #expect(claimed.map(\.webhook.id) == ["v"])
            try await store.finish(
                DeliveryAttempt(
                    at: try #require(claimed.first), outcome: .delivered, date: testDate))
            let found = try await store.deliveries(ofWebhook: "v", inProject: "p", limit: 9)
            #expect(found.map(\.state) == [.delivered])
            // The log of a server says so.
            let error = try await storeError {
                _ = try await store.claimDeliveries(date: testDate, until: testDate + 60, limit: 9)
            }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("/pending/p/w/0000000001'") == true)
        }
    }

    @Test func anUnreadableDraftAffectsOnlyItself() async throws {
        try await withStore { store, _ in
            try await store.submit()
            try await store.put("garbage", at: "drafts/eve/p")
            try await store.draft(Data("{}".utf8))
            let removed = try await store.removeDraft(
                ofOwner: "ada", inProject: "p", expecting: .any, date: testDate)
            #expect(removed)
            let error = try await storeError {
                _ = try await store.removeDraft(
                    ofOwner: "eve", inProject: "p", expecting: .any, date: testDate)
            }
            #expect(error?.code == .damaged)
        }
    }

    @Test func anUnreadableMarkAffectsOnlyItself() async throws {
        try await withStore { store, _ in
            try await store.submit()
            let mark = #"{"a":"ada","n":"why","o":"q","s":"S","k":"x","t":0}"#
            try await store.put(
                #"{"displayName":"P","intendedDifferences":[{"o":1},\#(mark)]}"#, at: "details/p")
            try await store.submit()
            let details = try await store.snapshot().projectDetails["p"]?.details
            #expect(details?.displayName == "P")
            #expect(details?.intendedDifferences.map(\.note) == ["why"])
        }
    }

    /// A delivery that is stored both as pending and as finished does not prevent a publish.
    @Test func aDeliveryThatIsThereTwiceIsFinished() async throws {
        try await withStore { store, _ in
            try await store.submit()
            try await store.addWebhook(.make("w"))
            try await store.submit()
            let pending = try #require(
                try await store.read(EtcdRange(keys: store.keys.allPending)).keyValues.first)
            try await store.put(
                String(decoding: pending.value, as: UTF8.self), at: "finished/p/w/0000000001")
            let template = try await store.submit()
            #expect(template.version.number == 3)
            let found = try await store.deliveries(ofWebhook: "w", inProject: "p", limit: 10)
            #expect(found.map(\.version) == [3, 2])
        }
    }
}

extension StoredWebhook {
    /// A webhook of the project `p`.
    static func make(
        _ id: String, topics: Set<WebhookEvent.Topic> = [.publish]
    ) -> StoredWebhook {
        StoredWebhook(
            id: id, project: "p", url: "https://w", secret: "s", creationDate: testDate,
            creator: "root", topics: topics)
    }
}

extension EtcdTemplateStore {
    /// Stores a text that no store would write.
    func put(_ text: String, at key: String) async throws {
        let put = EtcdTransaction(success: [.put(Data((keys.prefix + key).utf8), Data(text.utf8))])
        let _: EtcdTransactionAnswer = try await gateway.call("/v3/kv/txn", put)
    }

    /// Replaces a number in the JSON text of a record.
    func replace(_ field: String, with number: String, at key: String) async throws {
        let range = EtcdRange(keys: .key(Data((keys.prefix + key).utf8)))
        let found = try #require(try await read(range).keyValues.first)
        let text = String(decoding: found.value, as: UTF8.self)
        let changed = text.replacing(
            try Regex("\"\(field)\":-?[0-9]+"), with: "\"\(field)\":\(number)")
        try #require(changed != text)
        try await put(changed, at: key)
    }
}
