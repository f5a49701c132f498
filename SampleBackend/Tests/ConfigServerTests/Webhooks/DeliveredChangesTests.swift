import Foundation
import InMemoryTemplateStore
import JSONTree
import NIOConcurrencyHelpers
import TemplateStore
import Templates
import Testing

@testable import WebhookDelivery

struct DeliveredChangesTests {
    /// Counts the templates that are read.
    private struct CountedTemplates: TemplateStoring {
        let store: InMemoryTemplateStore
        let count = NIOLockedValueBox(0)

        func publish(
            _ submission: TemplateSubmission
        ) async throws(TemplateStoreError) -> StoredTemplate { try await store.publish(submission) }

        func template(
            version: Int?, inProject project: String
        ) async throws(TemplateStoreError) -> StoredTemplate? {
            count.withLockedValue { $0 += 1 }
            return try await store.template(version: version, inProject: project)
        }

        func versions(
            inProject project: String, matching query: VersionQuery
        ) async throws(TemplateStoreError) -> VersionPage {
            try await store.versions(inProject: project, matching: query)
        }
    }

    /// A receiver that failed for long and a restored store: each version is read once, or the
    /// delivery would take longer than its claim and never be sent.
    @Test func theVersionsBelowARaiseAreReadOnce() async throws {
        let store = InMemoryTemplateStore()
        func publish(_ section: String) async throws -> Int {
            let setting = #"{"defaultValue":{"value":"1"}}"#
            let template =
                #"{"parameterGroups":{"\#(section)":{"parameters":{"a":\#(setting)}}}}"#
            return try await store.publish(
                TemplateSubmission(
                    project: "default", content: Data(template.utf8), expectation: .any,
                    date: Date(), user: .init(name: "ci"))
            ).version.number
        }
        _ = try await publish("First")
        let webhook = StoredWebhook(
            id: "w", project: "default", url: "https://shop.example", secret: "s",
            creationDate: Date(), creator: "ci")
        try await store.addWebhook(webhook)
        for number in 1...30 { _ = try await publish("Section\(number % 3)") }
        _ = try await store.raiseVersions(VersionRaise(reason: "test"))
        let version = try await publish("Last")
        let templates = CountedTemplates(store: store)
        let sections = try await DeliveredChanges(
            claimed: ClaimedDelivery(
                delivery: WebhookDelivery(
                    id: "d", webhookID: "w",
                    event: .publish(version: version, updateType: .unspecified),
                    creationDate: Date()),
                webhook: webhook, knownVersion: 1),
            version: version, templates: templates, store: store, knownChanges: { _, _, _ in nil }
        ).sections()
        #expect(sections == ["First", "Last", "Section0", "Section1", "Section2"])
        #expect(templates.count.withLockedValue { $0 } == 32)
    }
}
