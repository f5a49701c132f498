import Foundation
import TemplateStore

/// The keys of a store, all under its prefix.
///
/// Names are percent-encoded, so that they contain no slash and are readable in `etcdctl`:
///
/// | key | value |
/// | --- | --- |
/// | `store` | ``StoreRecord``: the schema and the identity of the store |
/// | `change` | ``ChangeRecord``: the last change; its history is the change feed |
/// | `audit/{number}` | ``AuditRecord``: the entry of the change with this number; never rewritten |
/// | `projects/{project}` | ``VersionRecord``: the current version |
/// | `created/{project}` | ``VersionRecord``: the empty template of a project that was created |
/// | `deleted/{project}` | ``DeletedProjectRecord``: the last version of a deleted project |
/// | `versions/{project}/{version}` | ``VersionRecord`` |
/// | `contents/{id}/{part}` | a part of a content; immutable |
/// | `floor` | ``FloorRecord``: the version floor; absent until it is raised |
/// | `details/{project}` | ``DetailsRecord`` |
/// | `overrides/{project}/{user}` | ``OverridesRecord`` |
/// | `usage/{project}` | the usage of a project |
/// | `drafts/{owner}/{project}` | ``DraftRecord`` |
/// | `requests/{project}/{id}` | ``ChangeRequestRecord`` |
/// | `requestTexts/{project}/{id}` | the texts, votes and comments of a change request |
/// | `due/{project}/{id}` | empty; a change request whose schedule waits for a time |
/// | `tokens/{id}` | ``TokenRecord`` |
/// | `sessions/{token}/{id}` | ``SessionRecord`` |
/// | `uses` | ``UsesRecord``: when tokens were last used |
/// | `webhooks/{project}/{id}` | ``WebhookRecord``; rewritten with each change of its deliveries |
/// | `pending/{project}/{webhook}/{position}` | ``DeliveryRecord`` |
/// | `finished/{project}/{webhook}/{position}` | ``DeliveryRecord`` |
/// | `owners/{id}` | empty; under the lease of a process that claims deliveries |
/// | `replicas/{id}/` | empty; under the lease of a process that announces something |
/// | `replicas/{id}/{name}` | what it has announced, under the same lease |
struct EtcdKeys: Sendable, Hashable {
    /// Ends with a slash.
    let prefix: String

    var store: Data { key("store") }
    var change: Data { key("change") }
    var uses: Data { key("uses") }
    var floor: Data { key("floor") }

    /// All keys of the store.
    var all: EtcdKeySpan { .prefix(prefix) }
    var projects: EtcdKeySpan { span("projects") }
    var deleted: EtcdKeySpan { span("deleted") }
    var details: EtcdKeySpan { span("details") }
    var tokens: EtcdKeySpan { span("tokens") }
    var sessions: EtcdKeySpan { span("sessions") }
    var owners: EtcdKeySpan { span("owners") }
    var replicas: EtcdKeySpan { span("replicas") }
    var allOverrides: EtcdKeySpan { span("overrides") }
    var allDrafts: EtcdKeySpan { span("drafts") }
    var allChangeRequests: EtcdKeySpan { span("requests") }
    var allDue: EtcdKeySpan { span("due") }
    var allWebhooks: EtcdKeySpan { span("webhooks") }
    var allPending: EtcdKeySpan { span("pending") }
    var allVersions: EtcdKeySpan { span("versions") }
    var allAudit: EtcdKeySpan { span("audit") }

    func audit(_ number: Int) -> Data { key("audit", Self.padded(number, to: 16)) }

    /// The entries in a range of numbers.
    func audit(_ numbers: Range<Int>) -> EtcdKeySpan {
        EtcdKeySpan(start: audit(numbers.lowerBound), end: audit(numbers.upperBound))
    }

    func project(_ name: String) -> Data { key("projects", Self.encoded(name)) }

    func createdProject(_ name: String) -> Data { key("created", Self.encoded(name)) }

    func deletedProject(_ name: String) -> Data { key("deleted", Self.encoded(name)) }

    func versions(ofProject name: String) -> EtcdKeySpan { span("versions", Self.encoded(name)) }

    func version(_ number: Int, ofProject name: String) -> Data {
        key("versions", Self.encoded(name), Self.padded(number, to: 10))
    }

    /// The versions before a version.
    func versions(before number: Int, ofProject name: String) -> EtcdKeySpan {
        EtcdKeySpan(start: version(0, ofProject: name), end: version(number, ofProject: name))
    }

    func content(_ id: String) -> EtcdKeySpan { span("contents", id) }

    func content(_ id: String, part: Int) -> Data {
        key("contents", id, Self.padded(part, to: 4))
    }

    func details(ofProject name: String) -> Data { key("details", Self.encoded(name)) }

    func usage(ofProject name: String) -> Data { key("usage", Self.encoded(name)) }

    func overrides(inProject name: String) -> EtcdKeySpan { span("overrides", Self.encoded(name)) }

    func overrides(ofUser user: String, inProject name: String) -> Data {
        key("overrides", Self.encoded(name), Self.encoded(user))
    }

    func draft(ofOwner owner: String, inProject name: String) -> Data {
        key("drafts", Self.encoded(owner), Self.encoded(name))
    }

    func changeRequests(inProject name: String) -> EtcdKeySpan {
        span("requests", Self.encoded(name))
    }

    func changeRequest(_ id: String, inProject name: String) -> Data {
        key("requests", Self.encoded(name), Self.encoded(id))
    }

    func changeRequestText(_ id: String, inProject name: String) -> Data {
        key("requestTexts", Self.encoded(name), Self.encoded(id))
    }

    func dueChangeRequest(_ id: String, inProject name: String) -> Data {
        key("due", Self.encoded(name), Self.encoded(id))
    }

    func token(_ id: String) -> Data { key("tokens", Self.encoded(id)) }

    func sessions(ofToken token: String) -> EtcdKeySpan { span("sessions", Self.encoded(token)) }

    func session(_ id: String, ofToken token: String) -> Data {
        key("sessions", Self.encoded(token), Self.encoded(id))
    }

    func owner(_ id: String) -> Data { key("owners", id) }

    func replica(_ id: String, _ name: String = "") -> Data {
        key("replicas", id, Self.encoded(name))
    }

    func webhooks(inProject name: String) -> EtcdKeySpan { span("webhooks", Self.encoded(name)) }

    func webhook(_ id: String, inProject name: String) -> Data {
        key("webhooks", Self.encoded(name), Self.encoded(id))
    }

    /// The pending deliveries of a webhook, or of all webhooks of a project if the webhook is nil.
    func pending(ofWebhook id: String? = nil, inProject name: String) -> EtcdKeySpan {
        span("pending", Self.encoded(name), id.map(Self.encoded))
    }

    func pending(_ position: Int, ofWebhook id: String, inProject name: String) -> Data {
        key("pending", Self.encoded(name), Self.encoded(id), Self.padded(position, to: 10))
    }

    /// The finished deliveries of a webhook, or of all webhooks of a project if the webhook is nil.
    func finished(ofWebhook id: String? = nil, inProject name: String) -> EtcdKeySpan {
        span("finished", Self.encoded(name), id.map(Self.encoded))
    }

    func finished(_ position: Int, ofWebhook id: String, inProject name: String) -> Data {
        key("finished", Self.encoded(name), Self.encoded(id), Self.padded(position, to: 10))
    }

    /// The position in the key of a delivery.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `damaged` for another key.
    func deliveryPosition(_ key: Data) throws(TemplateStoreError) -> Int {
        guard let names = names(in: key), names.count == 3, let position = Int(names[2]),
            DeliveryRecord.positions.contains(position)
        else { throw .damagedRecord(key) }
        return position
    }

    /// The decoded names in a key of this store after its kind; nil for a key of another form.
    func names(in key: Data) -> [String]? {
        guard key.starts(with: prefix.utf8) else { return nil }
        let parts = key.dropFirst(prefix.utf8.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let names = parts.dropFirst().compactMap(Self.decoded)
        return names.count == parts.count - 1 ? names : nil
    }

    private func key(_ parts: String...) -> Data {
        Data((prefix + parts.joined(separator: "/")).utf8)
    }

    private func span(_ parts: String?...) -> EtcdKeySpan {
        .prefix(prefix + parts.compactMap { $0 }.map { $0 + "/" }.joined())
    }

    private static func padded(_ number: Int, to count: Int) -> String {
        let digits = String(max(number, 0))
        return String(repeating: "0", count: max(count - digits.utf8.count, 0)) + digits
    }

    private static let plainBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~".utf8)

    private static func encoded(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if plainBytes.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += "%".utf8
                let digits = String(byte, radix: 16, uppercase: true)
                bytes += (digits.utf8.count == 1 ? "0" + digits : digits).utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decoded(_ bytes: Data) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else { return nil }
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
