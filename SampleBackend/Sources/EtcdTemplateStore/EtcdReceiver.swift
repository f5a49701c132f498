import Foundation
import TemplateStore
import Templates

/// A webhook with its deliveries, as stored in etcd.
struct EtcdReceiver: Sendable {
    /// The state by the store's rules.
    ///
    /// A delivery claimed by another process is due when the lease of that process ends,
    /// independent of clocks.
    let value: WebhookQueue
    /// The revision of the last change of the webhook or its deliveries.
    private let revision: Int64
    /// The position among all webhooks, oldest first.
    let position: Int64

    /// Adds operations to a write that change the receiver to another state.
    ///
    /// - Parameters:
    ///   - changed: The state.
    ///   - write: The write.
    ///   - keys: The keys of the store.
    ///   - mostRemains: Maximum number of operations for superseded and dropped deliveries; the
    ///     next change
    ///     of the receiver handles the others.
    /// - Throws: ``TemplateStoreError`` when a record cannot be written.
    func add<Result>(
        _ changed: WebhookQueue, to write: inout EtcdWrite<Result>, keys: EtcdKeys,
        mostRemains: Int = 100
    ) throws(TemplateStoreError) {
        var room = mostRemains
        let webhook = changed.webhook
        let key = keys.webhook(webhook.id, inProject: webhook.project)
        write.guards.append(.modified(key, at: revision))
        write.operations.append(
            .put(
                key,
                try WebhookRecord(
                    webhook, knownVersion: changed.knownVersion, lastPublish: changed.lastPublish
                ).encoded()))
        var before = [Int: WebhookQueue.Entry](
            value.entries.map { ($0.position, $0) }, uniquingKeysWith: { $1 })
        for entry in changed.entries {
            let place = entry.position
            let old = before.removeValue(forKey: place)
            if old == entry { continue }
            let pending = keys.pending(place, ofWebhook: webhook.id, inProject: webhook.project)
            let finished = keys.finished(place, ofWebhook: webhook.id, inProject: webhook.project)
            let record = try DeliveryRecord(entry.delivery, claim: entry.claim).encoded()
            if entry.delivery.state == .pending {
                write.operations.append(.put(pending, record))
            } else {
                if entry.delivery.state == .superseded {
                    guard room >= 2 else { continue }
                    room -= 2
                }
                write.operations.append(.put(finished, record))
                if old != nil { write.operations.append(.delete(.key(pending))) }
            }
        }
        for (place, dropped) in before.sorted(by: { $0.key < $1.key }).prefix(room) {
            let key =
                dropped.delivery.state == .pending
                ? keys.pending(place, ofWebhook: webhook.id, inProject: webhook.project)
                : keys.finished(place, ofWebhook: webhook.id, inProject: webhook.project)
            write.operations.append(.delete(.key(key)))
        }
    }

    /// Adds operations to the write of a change that enqueue the deliveries of its events; the last
    /// ones besides those of the change itself.
    ///
    /// etcd limits the operations of a transaction, and the deliveries must be in it: an event
    /// without them would never reach a webhook. So only the removal of older deliveries is
    /// shortened, which the next change of the webhook continues.
    ///
    /// - Throws: ``TemplateStoreError`` when a record cannot be written.
    static func enqueue<Result>(
        _ events: [WebhookEvent], date: Date, for receivers: [EtcdReceiver],
        in write: inout EtcdWrite<Result>, keys: EtcdKeys
    ) throws(TemplateStoreError) {
        let topics = Set(events.map(\.topic))
        let receivers = receivers.filter { !$0.value.webhook.topics.isDisjoint(with: topics) }
        // New deliveries take an operation for the webhook and one for each, the change two.
        let room =
            EtcdTransaction.mostSteps - write.operations.count
            - (1 + events.count) * receivers.count - 2
        for receiver in receivers {
            var changed = receiver.value
            changed.enqueue(events, date: date)
            try receiver.add(changed, to: &write, keys: keys, mostRemains: room / receivers.count)
        }
    }

    /// The receivers in a reading of ``EtcdKeys/receiverRanges(ofProject:)``, or of all projects
    /// without the finished deliveries, oldest first.
    ///
    /// - Parameters:
    ///   - reading: The reading.
    ///   - place: The index of the first range in the reading.
    ///   - keys: The keys of the store.
    ///   - owner: The owner whose claims end by the clock; nil if this process has none.
    /// - Returns: The receivers.
    /// - Throws: ``TemplateStoreError`` with the code `damaged`.
    static func all(
        in reading: EtcdReading, from place: Int, keys: EtcdKeys, for owner: String?
    ) throws(TemplateStoreError) -> [EtcdReceiver] {
        let (receivers, damage) = readable(in: reading, from: place, keys: keys, for: owner)
        if let damage { throw damage }
        return receivers
    }

    /// The receivers as ``all(in:from:keys:for:)`` returns them, without those with a record that cannot
    /// be read, and the error of the first of these.
    static func readable(
        in reading: EtcdReading, from place: Int, keys: EtcdKeys, for owner: String?
    ) -> (receivers: [EtcdReceiver], damage: TemplateStoreError?) {
        typealias Entry = WebhookQueue.Entry
        var entries: [Data: [Entry]] = [:]
        var damaged: Set<Data> = []
        var damage: TemplateStoreError?
        let living = Set(reading.keyValues(place + 2).compactMap { keys.names(in: $0.key)?.first })
        for found in reading.keyValues(place + 1) {
            guard let names = keys.names(in: found.key), names.count == 3 else { continue }
            let webhook = keys.webhook(names[1], inProject: names[0])
            do throws(TemplateStoreError) {
                let entry = Entry(
                    try DeliveryRecord(decoding: found), at: try keys.deliveryPosition(found.key),
                    living: living, owner: owner)
                entries[webhook, default: []].append(entry)
            } catch {
                damage = damage ?? error
                damaged.insert(webhook)
            }
        }
        for found in reading.keyValues(place + 3) {
            guard let names = keys.names(in: found.key), names.count == 3 else { continue }
            let webhook = keys.webhook(names[1], inProject: names[0])
            let position: Int
            do throws(TemplateStoreError) {
                position = try keys.deliveryPosition(found.key)
            } catch {
                damage = damage ?? error
                damaged.insert(webhook)
                continue
            }
            // A delivery under both keys is pending; finishing it again removes the pending key.
            if entries[webhook]?.contains(where: { $0.position == position }) == true {
                continue
            }
            entries[webhook, default: []].append(.finished(position))
        }
        var receivers: [EtcdReceiver] = []
        for found in reading.keyValues(place) where !damaged.contains(found.key) {
            let record: WebhookRecord
            do throws(TemplateStoreError) {
                record = try WebhookRecord(decoding: found)
            } catch {
                damage = damage ?? error
                continue
            }
            let value = WebhookQueue(
                webhook: record.webhook, knownVersion: record.knownVersion,
                lastPublish: record.lastPublish,
                entries: (entries[found.key] ?? []).sorted { $0.position < $1.position })
            receivers.append(
                EtcdReceiver(
                    value: value, revision: found.modRevision, position: found.createRevision))
        }
        return (receivers.sorted { $0.position < $1.position }, damage)
    }
}

extension EtcdKeys {
    /// The ranges of ``EtcdReceiver/all(in:from:keys:for:)`` for a project, or one of its webhooks.
    func receiverRanges(ofProject project: String, webhook: String? = nil) -> [EtcdRange] {
        let webhooks =
            webhook.map { EtcdKeySpan.key(self.webhook($0, inProject: project)) }
            ?? webhooks(inProject: project)
        return [
            EtcdRange(keys: webhooks),
            EtcdRange(keys: pending(ofWebhook: webhook, inProject: project)),
            EtcdRange(keys: owners, part: .keys),
            EtcdRange(keys: finished(ofWebhook: webhook, inProject: project), part: .keys),
        ]
    }

    /// The ranges for all projects, without the finished deliveries.
    var allReceiverRanges: [EtcdRange] {
        [
            EtcdRange(keys: allWebhooks), EtcdRange(keys: allPending),
            EtcdRange(keys: owners, part: .keys),
        ]
    }
}

extension WebhookQueue.Entry {
    /// The name of an owner's claim.
    static func claim(of owner: String) -> String { "\(owner)/\(UUID().uuidString)" }

    /// A pending delivery; `living` are the owners with a lease.
    fileprivate init(
        _ record: DeliveryRecord, at position: Int, living: Set<String>, owner: String?
    ) {
        self.init(position: position, delivery: record.delivery, claim: record.claim)
        guard let claimant = record.claim?.split(separator: "/").first.map(String.init),
            claimant != owner || !living.contains(claimant)
        else { return }
        if living.contains(claimant) {
            delivery.nextAttemptDate = .distantFuture
        } else {
            claim = nil
            delivery.nextAttemptDate = delivery.creationDate
        }
    }

    /// A finished delivery with only its position known.
    fileprivate static func finished(_ position: Int) -> WebhookQueue.Entry {
        var delivery = WebhookDelivery(
            id: "", webhookID: "", event: .publish(version: 0, updateType: .unspecified),
            creationDate: .distantPast)
        delivery.state = .delivered
        delivery.nextAttemptDate = nil
        return WebhookQueue.Entry(position: position, delivery: delivery)
    }
}
