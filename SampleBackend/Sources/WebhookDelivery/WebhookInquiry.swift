import Foundation
package import JSONTree
package import TemplateStore

/// Asks a webhook for its consent, and waits for the answer.
package struct WebhookInquiry: Sendable {
    /// The answer of a webhook.
    package enum Answer: Sendable, Hashable {
        case consent
        case refusal(reason: String?)
        /// There was no answer, or another one; with the reason, as a sentence.
        case failure(String)
    }

    /// Maximum length of a reason, in Unicode scalars.
    private static let maximumReasonLength = 500

    /// Kinds of characters that would hide or move other text where the reason is shown.
    private static let hidden: [Unicode.GeneralCategory] = [
        .control, .format, .lineSeparator, .paragraphSeparator,
    ]

    private let options: WebhookOptions

    package init(options: WebhookOptions) { self.options = options }

    /// Posts a signed question: 200 to 299 consents, 409 refuses.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - question: The body.
    ///   - id: Identifies the question; the same one may be asked several times.
    /// - Returns: The answer; the reason of a refusal is the member `reason` of its body.
    package func ask(
        _ webhook: StoredWebhook, _ question: JSONNode, id: String
    ) async -> Answer {
        let message = DeliveryMessage(question, id: id, secret: webhook.secret, date: Date())
        // By chance another address of the host than the last time.
        let answer = await DeliverySender(options).send(
            message, to: webhook, attempt: .random(in: 1...16), readsBody: true, now: { Date() })
        if answer.isSuccess { return .consent }
        guard answer.statusCode == 409 else {
            return .failure(answer.error ?? "The receiver did not answer.")
        }
        let body = answer.body.flatMap { try? JSONNode(jsonData: $0) }
        let reason = body?["reason"]?.stringValue.map { text in
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.prefix(Self.maximumReasonLength).map { scalar in
                        Self.hidden.contains(scalar.properties.generalCategory) ? " " : scalar
                    }))
        }
        return .refusal(reason: reason)
    }
}
