package import Foundation
public import Templates

/// What a webhook is notified of.
public enum WebhookEvent: Sendable, Hashable, Codable {
    /// A version was published.
    case publish(version: Int, updateType: TemplateVersion.UpdateType)

    /// A step of a change request.
    case changeRequest(step: ChangeRequestStep)

    /// The kind of an event, which webhooks choose; stores and messages have the raw value.
    public enum Topic: String, Sendable, Hashable, Codable, CaseIterable {
        /// The receiver wants the newest version: a later one supersedes those that are not sent.
        case publish

        /// Each step is sent, in order.
        case changeRequest

        /// The receiver is asked before each step of a rollout, and can refuse it; nothing is queued.
        case rolloutStep
    }

    /// The kind.
    public var topic: Topic {
        switch self {
        case .publish: .publish
        case .changeRequest: .changeRequest
        }
    }

    /// The published version; nil for other events.
    public var version: Int? {
        if case .publish(let version, _) = self { version } else { nil }
    }
}

extension WebhookEvent {
    /// The events of a publish.
    ///
    /// - Parameters:
    ///   - version: The new version.
    ///   - request: The change request that it publishes, as stored with it; nil for none.
    ///   - known: The version before; nil when there was none.
    /// - Returns: The events, in their order.
    package static func events(
        of version: TemplateVersion, publishing request: StoredChangeRequest?, over known: Int?
    ) -> [WebhookEvent] {
        let step = request.map {
            ChangeRequestStep(publishing: $0, by: version.updateUser, over: known)
        }
        return [.publish(version: version.number, updateType: version.updateType)]
            + (step.map { [.changeRequest(step: $0)] } ?? [])
    }
}

extension WebhookEvent {
    /// The event as engines store it.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers can always be encoded; an empty record is read as damaged.
        return (try? encoder.encode(self)) ?? Data()
    }

    /// Reads a stored event.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `damaged`.
    package init(record: Data) throws(TemplateStoreError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: record)
        } catch {
            throw TemplateStoreError(
                .damaged, "An event of a webhook cannot be read: restore a backup.",
                underlyingError: error)
        }
    }
}

extension StoredWebhook {
    /// The topics as engines store them: their raw values, separated by commas.
    package var topicList: String {
        WebhookEvent.Topic.allCases.filter(topics.contains).map(\.rawValue)
            .joined(separator: ",")
    }

    /// The topics in a stored list.
    package static func topics(inList list: String) -> Set<WebhookEvent.Topic> {
        Set(list.split(separator: ",").compactMap { WebhookEvent.Topic(rawValue: String($0)) })
    }
}
