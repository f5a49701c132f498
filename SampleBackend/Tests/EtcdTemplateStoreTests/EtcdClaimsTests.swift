import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import EtcdTemplateStore

@Suite("Claims in etcd", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdClaimsTests {
    private func addWebhook(to store: EtcdTemplateStore) async throws {
        try await store.submit()
        try await store.addWebhook(.make("w"))
        try await store.submit()
    }

    private func claim(
        in store: EtcdTemplateStore, at seconds: TimeInterval = 0
    ) async throws -> [ClaimedDelivery] {
        let date = testDate + seconds
        return try await store.claimDeliveries(date: date, until: date + 30, limit: 9)
    }

    /// A clock that is ahead does not take a claim from a running process.
    @Test func aClockAheadTakesNoClaim() async throws {
        try await withStore { store, location in
            try await addWebhook(to: store)
            let first = try #require(try await claim(in: store).first)
            try await withStore(at: location) { ahead in
                #expect(try await claim(in: ahead, at: 3_600) == [])
                let next = try #require(try await ahead.nextDeliveryDate())
                #expect(next > testDate + 7_200)
            }
            let attempt = DeliveryAttempt(at: first, outcome: .delivered, date: testDate)
            try await store.finish(attempt)
            let found = try await store.deliveries(ofWebhook: "w", inProject: "p", limit: 1)
            #expect(found.map(\.state) == [.delivered])
        }
    }

    /// A delivery whose process has lost its lease can be claimed immediately, and the late result
    /// of that process is ignored.
    @Test func aDeadProcessGivesItsDeliveryBack() async throws {
        try await withStore { store, location in
            try await addWebhook(to: store)
            let first = try #require(try await claim(in: store).first)
            #expect(try await store.holdsClaim(of: first, date: testDate))
            try await withStore(at: location) { other in
                #expect(try await claim(in: other) == [])
                let owner = try #require(store.owner.id)
                let removal = EtcdTransaction(success: [.delete(.key(store.keys.owner(owner)))])
                let _: EtcdTransactionAnswer = try await other.gateway.call("/v3/kv/txn", removal)
                #expect(try await store.holdsClaim(of: first, date: testDate) == false)
                let second = try #require(try await claim(in: other).first)
                #expect(try await other.holdsClaim(of: second, date: testDate))
                #expect(second.delivery.id == first.delivery.id)
                #expect(second.delivery.attempts == 2)
                try await store.finish(
                    DeliveryAttempt(at: first, outcome: .failed, date: testDate))
                var found = try await other.deliveries(ofWebhook: "w", inProject: "p", limit: 1)
                #expect(found.map(\.state) == [.pending])
                try await other.finish(
                    DeliveryAttempt(at: second, outcome: .delivered, date: testDate))
                found = try await other.deliveries(ofWebhook: "w", inProject: "p", limit: 1)
                #expect(found.map(\.state) == [.delivered])
            }
        }
    }

    /// Closing a store releases its deliveries immediately.
    @Test func aClosedStoreGivesItsDeliveriesBack() async throws {
        try await withStore { store, location in
            try await addWebhook(to: store)
            try await withStore(at: location) { other in
                let claimed = try await claim(in: other)
                #expect(claimed.count == 1)
                #expect(try await claim(in: store) == [])
            }
            #expect(try await claim(in: store).count == 1)
        }
    }

    /// A project with the most webhooks, each with the most deliveries, can be published.
    @Test func theMostWebhooksFitIntoOneTransaction() async throws {
        try await withStore { store, _ in
            try await store.submit()
            for number in 1...TemplateStoreLimits.webhooks {
                try await store.addWebhook(.make("\(number)"))
            }
            for number in 0...TemplateStoreLimits.finishedDeliveries {
                try await store.submit("\(number)")
            }
            let template = try await store.submit(Data(repeating: 0x20, count: 16 << 20))
            for number in 1...TemplateStoreLimits.webhooks {
                let found = try await store.deliveries(
                    ofWebhook: "\(number)", inProject: "p", limit: 1_000)
                #expect(found.count == TemplateStoreLimits.finishedDeliveries + 1)
                #expect(found.first?.version == template.version.number)
            }
        }
    }

    /// A change request of a project with the most webhooks is stored and published with its steps,
    /// also with the largest templates that are part of the transaction.
    @Test func theStepsForTheMostWebhooksFitIntoOneTransaction() async throws {
        try await withStore { store, _ in
            try await store.submit()
            for number in 1...TemplateStoreLimits.webhooks {
                try await store.addWebhook(
                    .make("\(number)", topics: [.publish, .changeRequest]))
            }
            let large = Data(repeating: 0x20, count: EtcdTemplateStore.mostInTransaction - 2)
            let long = String(repeating: "🙂", count: 200)
            let open = try await store.saveChangeRequest(
                ChangeRequestSubmission(
                    project: "p", id: "open",
                    request: ChangeRequest(
                        title: long,
                        text: String(
                            repeating: "t", count: TemplateStoreLimits.changeRequestBytes - 10_000),
                        author: .init(person: long, actor: long), baseVersion: 1,
                        creationDate: testDate),
                    contents: ChangeRequestContents(
                        base: large + Data("{}".utf8), edited: Data("{}".utf8) + large),
                    expectation: .absent, action: .createChangeRequest, date: testDate,
                    actor: long))
            let version = try await store.publish(
                TemplateSubmission(
                    project: "p", content: Data("{}".utf8), expectation: .any, date: testDate,
                    user: .init(name: "ada"),
                    approval: PublishApproval(changeRequest: .init(id: "open", tag: open.tag)))
            ).version.number
            for number in 1...TemplateStoreLimits.webhooks {
                let found = try await store.deliveries(
                    ofWebhook: "\(number)", inProject: "p", limit: 3)
                #expect(found.map(\.event.topic) == [.changeRequest, .publish, .changeRequest])
                #expect(found.map(\.version) == [nil, version, nil])
            }
        }
    }

    /// A project with the maximum number of webhooks, a full history, and claims of a process that
    /// exited can be published; what does not fit into one transaction follows in later ones.
    @Test func theRemainsOfADeadSenderFitIntoSeveralTransactions() async throws {
        try await withStore { store, _ in
            let (history, claimed) = (1...100, 101...106)
            let current = try await store.submit().version
            for number in 1...TemplateStoreLimits.webhooks {
                try await store.addWebhook(.make("\(number)"))
                var operations: [EtcdOperation] = []
                for version in history.lowerBound...claimed.upperBound {
                    var delivery = WebhookDelivery(
                        id: "\(version)", webhookID: "\(number)",
                        event: .publish(version: version, updateType: .incrementalUpdate),
                        creationDate: testDate)
                    delivery.nextAttemptDate = nil
                    let isClaimed = claimed.contains(version)
                    delivery.state = isClaimed ? .pending : .delivered
                    if isClaimed { delivery.nextAttemptDate = testDate + 3_600 }
                    let record = DeliveryRecord(delivery, claim: isClaimed ? "gone/x" : nil)
                    let key =
                        isClaimed
                        ? store.keys.pending(version, ofWebhook: "\(number)", inProject: "p")
                        : store.keys.finished(version, ofWebhook: "\(number)", inProject: "p")
                    operations.append(.put(key, try record.encoded()))
                }
                let put = EtcdTransaction(success: operations)
                let _: EtcdTransactionAnswer = try await store.gateway.call("/v3/kv/txn", put)
            }
            #expect(current.number == 1)
            // The deliveries above belong to versions that were never published.
            try await store.replace(
                "number", with: "\(claimed.upperBound)", at: "projects/p")
            for number in 1...20 {
                let template = try await store.submit("\(number)")
                #expect(template.version.number == claimed.upperBound + number)
            }
            let published = claimed.upperBound + 20
            for number in 1...TemplateStoreLimits.webhooks {
                let found = try await store.deliveries(
                    ofWebhook: "\(number)", inProject: "p", limit: 1_000)
                #expect(found.count == TemplateStoreLimits.finishedDeliveries + 1)
                #expect(found.filter { $0.state == .pending }.map(\.version) == [published])
            }
            let due = try await claim(in: store)
            #expect(due.map(\.delivery.version) == [Int](repeating: published, count: 9))
        }
    }
}
