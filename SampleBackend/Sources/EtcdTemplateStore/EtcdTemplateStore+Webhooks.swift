public import Foundation
public import TemplateStore

extension EtcdTemplateStore {
    /// Stores a new webhook.
    public func addWebhook(_ webhook: StoredWebhook) async throws(TemplateStoreError) {
        let project = webhook.project
        try await write(
            reading: [
                EtcdRange(keys: .key(keys.project(project))),
                EtcdRange(keys: keys.webhooks(inProject: project), part: .count),
                EtcdRange(keys: .key(keys.details(ofProject: project))),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            guard let current = try reading.records(0, as: VersionRecord.self).first else {
                throw .projectMissing(project)
            }
            try reading.checkIsNotArchived(project, detailsAt: 2)
            guard reading.count(1) < TemplateStoreLimits.webhooks else {
                throw .tooManyWebhooks(inProject: project)
            }
            let stored = webhook.roundedToMilliseconds
            var write = EtcdWrite<Void> { _ in }
            write.operations = [
                .put(
                    keys.webhook(webhook.id, inProject: project),
                    try WebhookRecord(stored, knownVersion: current.number, lastPublish: 0)
                        .encoded())
            ]
            write.change = .init(
                subject: .webhooks(project: project),
                entry: AuditEntry(ofNew: stored, revision: .zero))
            return .write(write)
        }
    }

    /// The webhooks of a project, oldest first.
    public func webhooks(
        inProject project: String
    ) async throws(TemplateStoreError) -> [StoredWebhook] {
        let reading = try await read([EtcdRange(keys: keys.webhooks(inProject: project))])
        return try EtcdReceiver.all(in: reading, from: 0, keys: keys, for: nil)
            .map(\.value.webhook)
    }

    /// Removes a webhook with its deliveries; false when none has this identifier.
    public func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        let key = keys.webhook(id, inProject: project)
        return try await write(
            reading: [
                EtcdRange(keys: .key(key)),
                EtcdRange(keys: .key(keys.details(ofProject: project))),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            try reading.checkIsNotArchived(project, detailsAt: 1)
            guard let found = reading.keyValues(0).first else { return .done(false) }
            let webhook = try WebhookRecord(decoding: found).webhook
            var write = EtcdWrite { _ in true }
            write.guards = [.modified(key, at: found.modRevision)]
            write.operations = [
                .delete(.key(key)),
                .delete(keys.pending(ofWebhook: id, inProject: project)),
                .delete(keys.finished(ofWebhook: id, inProject: project)),
            ]
            write.change = .init(
                subject: .webhooks(project: project),
                entry: AuditEntry(ofRemoved: webhook, actor: actor, date: date, revision: .zero))
            return .write(write)
        }
    }

    /// The latest deliveries of a webhook, newest first.
    public func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) async throws(TemplateStoreError) -> [WebhookDelivery] {
        let reading = try await read([
            EtcdRange(keys: keys.pending(ofWebhook: id, inProject: project)),
            EtcdRange(keys: keys.finished(ofWebhook: id, inProject: project)),
        ])
        var found: [(position: Int, delivery: WebhookDelivery)] = []
        for keyValue in reading.keyValues(0) + reading.keyValues(1) {
            found.append(
                (
                    try keys.deliveryPosition(keyValue.key),
                    try DeliveryRecord(decoding: keyValue).delivery
                ))
        }
        return found.sorted { $0.position > $1.position }.prefix(max(limit, 0)).map(\.delivery)
    }

    /// Claims due deliveries, so that no other process sends them.
    ///
    /// A claim ends at its time by the clock of this process, or when this process ends.
    public func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery] {
        let date = date.roundedToMilliseconds
        let reading = try await read(keys.allReceiverRanges)
        let (receivers, damage) = EtcdReceiver.readable(
            in: reading, from: 0, keys: keys, for: owner.id)
        let due = receivers.compactMap { receiver -> (date: Date, webhook: StoredWebhook)? in
            var trial = receiver.value
            let due = trial.nextDeliveryDate ?? .distantFuture
            return trial.claim(as: "", date: date, until: end) == nil
                ? nil : (due, receiver.value.webhook)
        }
        var claimed: [ClaimedDelivery] = []
        for (_, webhook) in due.sorted(by: { $0.date < $1.date }) {
            guard claimed.count < limit else { break }
            if let delivery = try await claim(webhook, date: date, until: end) {
                claimed.append(delivery)
            }
        }
        if claimed.isEmpty, let damage { throw damage }
        return claimed
    }

    /// Claims the due delivery of a webhook; nil if there is none.
    private func claim(
        _ webhook: StoredWebhook, date: Date, until end: Date
    ) async throws(TemplateStoreError) -> ClaimedDelivery? {
        let owner = try await owner.take()
        let name = WebhookQueue.Entry.claim(of: owner)
        return try await write(
            reading: keys.receiverRanges(ofProject: webhook.project, webhook: webhook.id)
        ) { [keys] reading throws(TemplateStoreError) in
            let receivers = try EtcdReceiver.all(in: reading, from: 0, keys: keys, for: owner)
            // names: keys of our own
            let isOwner = reading.keyValues(2).contains { $0.key == keys.owner(owner) }
            guard isOwner, let receiver = receivers.first else { return .done(nil) }
            var changed = receiver.value
            guard let claimed = changed.claim(as: name, date: date, until: end) else {
                return .done(nil)
            }
            var write = EtcdWrite<ClaimedDelivery?>(guards: [.exists(keys.owner(owner))]) { _ in
                claimed
            }
            try receiver.add(changed, to: &write, keys: keys)
            let place = changed.entries.first {
                $0.delivery.id.utf8.elementsEqual(claimed.delivery.id.utf8)
            }
            let key = keys.pending(
                place?.position ?? 0, ofWebhook: webhook.id, inProject: webhook.project)
            write.witness = .init(key: key) { found in
                found.flatMap { try? DeliveryRecord(decoding: $0) }?.claim == name
            }
            return .write(write)
        }
    }

    /// True while a delivery has the claim with which it was returned and this process has its
    /// lease.
    public func holdsClaim(
        of claimed: ClaimedDelivery, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        let reading = try await read(
            keys.receiverRanges(
                ofProject: claimed.webhook.project, webhook: claimed.webhook.id))
        guard let owner = owner.id,
            // names: keys of our own
            reading.keyValues(2).contains(where: { $0.key == keys.owner(owner) })
        else { return false }
        return try EtcdReceiver.all(in: reading, from: 0, keys: keys, for: owner)
            .contains { $0.value.holdsClaim(of: claimed, date: date) }
    }

    /// The earliest time at which a delivery can be claimed.
    public func nextDeliveryDate() async throws(TemplateStoreError) -> Date? {
        let reading = try await read(keys.allReceiverRanges)
        return EtcdReceiver.readable(in: reading, from: 0, keys: keys, for: owner.id).receivers
            .compactMap(\.value.nextDeliveryDate).min()
    }

    /// Stores the result of an attempt at a claimed delivery.
    public func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError) {
        let (owner, webhook) = (owner.id, attempt.claimed.webhook)
        try await write(
            reading: keys.receiverRanges(ofProject: webhook.project, webhook: webhook.id)
        ) { [keys] reading throws(TemplateStoreError) in
            guard
                let receiver = try EtcdReceiver.all(in: reading, from: 0, keys: keys, for: owner)
                    .first
            else { return .done(()) }
            var changed = receiver.value
            guard changed.finish(attempt) else { return .done(()) }
            var write = EtcdWrite<Void> { _ in }
            try receiver.add(changed, to: &write, keys: keys)
            return .write(write)
        }
    }
}
