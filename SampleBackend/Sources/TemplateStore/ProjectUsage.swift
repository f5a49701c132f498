public import Foundation
public import JSONTree

/// What is known of the use of a project: to which apps its templates were delivered, which settings
/// clients read by name, and how many clients had the newest version.
///
/// A value that engines store as one text of bounded size. It only grows by ``add(_:)``, whose order
/// and repetition do not matter, except for what a limit drops. What was dropped counts as unknown,
/// never as unused.
public struct ProjectUsage: Sendable, Hashable {
    /// The first day on which use was recorded; nil before.
    public private(set) var since: UsageDay?

    /// The last delivery to each app.
    public private(set) var deliveries: [UsedApp: UsageMark]

    /// The last day on which a client evaluated each setting by its name.
    public private(set) var reads: [UsedSetting: UsageDay]

    /// A share a day, oldest first.
    public private(set) var shares: [UsageShare]

    /// Creates the usage of a project of which nothing is known.
    public init() {
        deliveries = [:]
        reads = [:]
        shares = []
    }

    /// Adds a batch.
    public mutating func add(_ batch: UsageBatch) {
        since = min(since ?? batch.day, batch.day)
        deliveries.merge(batch.deliveries, uniquingKeysWith: { $0.merged(with: $1) })
        reads.merge(batch.reads.mapValues(\.day), uniquingKeysWith: max)
        if let share = batch.share, !shares.contains(where: { $0.day == share.day }) {
            shares.append(share)
            shares.sort { $0.day < $1.day }
        }
        let oldest = batch.day.advanced(by: -UsageLimits.keptDays)
        deliveries = deliveries.filter { $0.value.day >= oldest }
        reads = reads.filter { $0.value >= oldest }
        shares = Array(shares.suffix(UsageLimits.shares))
        limitDeliveries(by: batch)
        limitReads()
    }

    /// Joins the apps beyond the limits to ``UsedApp/other``: those whose last delivery is oldest, and
    /// of one day those that the batch has added, since clients can invent apps.
    private mutating func limitDeliveries(by batch: UsageBatch) {
        var rest = deliveries
        let other = rest.removeValue(forKey: .other)
        let sorted = rest.sorted { left, right in
            if left.value.day != right.value.day { return left.value.day > right.value.day }
            let (isLeftNew, isRightNew) = (
                batch.deliveries[left.key] != nil, batch.deliveries[right.key] != nil
            )
            return isLeftNew == isRightNew ? left.key.precedes(right.key) : isRightNew
        }
        var bytes = 0
        let kept = sorted.prefix(UsageLimits.apps).prefix { app, _ in
            bytes += app.maximumBytes
            return bytes <= UsageLimits.appBytes
        }
        guard kept.count < sorted.count else { return }
        deliveries = Dictionary(kept.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        deliveries[.other] = sorted.dropFirst(kept.count).map(\.value)
            .reduce(other) { $0?.merged(with: $1) ?? $1 }
    }

    /// True when so many settings are read that reads of others may have been dropped.
    public var mayLackReads: Bool {
        reads.count >= UsageLimits.countedReads
            || readBytes > UsageLimits.readBytes - UsageLimits.readReserve
    }

    private var readBytes: Int { reads.keys.reduce(0) { $0 + $1.maximumBytes } }

    /// Drops the oldest reads beyond the limit.
    private mutating func limitReads() {
        guard readBytes > UsageLimits.readBytes else { return }
        let sorted = reads.sorted {
            $0.value == $1.value ? $0.key.precedes($1.key) : $0.value > $1.value
        }
        var bytes = 0
        let kept = sorted.prefix { setting, _ in
            bytes += setting.maximumBytes
            return bytes <= UsageLimits.readBytes
        }
        reads = Dictionary(kept.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }
}

/// A day in UTC.
public struct UsageDay: Sendable, Hashable, Comparable, Codable {
    /// The number of days since January 1, 1970.
    public let number: Int

    /// Creates a day from its number.
    public init(_ number: Int) { self.number = number }

    /// Creates the day of a time.
    public init(_ date: Date) {
        let (days, rest) = Int(date.millisecondsSince1970)
            .quotientAndRemainder(dividingBy: 86_400_000)
        number = rest < 0 ? days - 1 : days
    }

    /// Reads a number.
    public init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
    }

    /// Writes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// The beginning of the day.
    public var date: Date { Date(timeIntervalSince1970: Double(number) * 86_400) }

    /// The day a number of days later.
    public func advanced(by days: Int) -> UsageDay { UsageDay(number + days) }

    /// The number of days from this one to another.
    public func distance(to other: UsageDay) -> Int { other.number - number }

    /// Orders days by time.
    public static func < (left: UsageDay, right: UsageDay) -> Bool { left.number < right.number }
}

/// The receiver of templates and documents.
public struct UsedApp: Sendable, Hashable {
    /// What received them; stores keep the raw value.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case app = "APP"
        /// A service that evaluates users itself.
        case service = "SERVICE"
        /// Apps for which there was no room.
        case other = "OTHER"
    }

    /// What received them.
    public let kind: Kind

    /// The signal `app.id`; nil for clients that send none.
    public let id: ExactText?

    /// The signal `app.version`; nil for clients that send none.
    public let version: ExactText?

    private init(_ kind: Kind, id: ExactText? = nil, version: ExactText? = nil) {
        (self.kind, self.id, self.version) = (kind, id, version)
    }

    /// Clients that do not send `app.id`.
    public static let unknown = UsedApp(.app)

    /// Services that evaluate users themselves.
    public static let service = UsedApp(.service)

    /// The apps for which there was no room.
    public static let other = UsedApp(.other)

    /// Creates an app from the signals of a client; names that are too long count as ``other``.
    public init(id: String?, version: String?) {
        guard let id, !id.isEmpty else {
            self = .unknown
            return
        }
        let longest = UsageLimits.nameBytes
        guard id.utf8.count <= longest, version?.utf8.count ?? 0 <= longest else {
            self = .other
            return
        }
        self.init(.app, id: ExactText(id), version: version.map { ExactText($0) })
    }

    /// Orders apps by their names.
    package func precedes(_ other: UsedApp) -> Bool {
        let names = [(id, other.id), (version, other.version)]
        for (left, right) in names where left != right {
            guard let left else { return true }
            return right.map(left.precedes) ?? false
        }
        return kind.rawValue < other.kind.rawValue
    }

    /// An upper bound of the bytes that the app takes in a record.
    fileprivate var maximumBytes: Int {
        80 + (id?.maximumJSONBytes ?? 0) + (version?.maximumJSONBytes ?? 0)
    }
}

/// A setting that was read.
public struct UsedSetting: Sendable, Hashable {
    /// The section's name.
    public let section: ExactText

    /// The key in the section.
    public let key: ExactText

    /// Creates a setting.
    public init(section: String, key: String) {
        self.section = ExactText(section)
        self.key = ExactText(key)
    }

    /// Orders settings by their names.
    func precedes(_ other: UsedSetting) -> Bool {
        if section.precedes(other.section) { return true }
        return !other.section.precedes(section) && key.precedes(other.key)
    }

    /// An upper bound of the bytes that the setting takes in a record.
    fileprivate var maximumBytes: Int { 40 + section.maximumJSONBytes + key.maximumJSONBytes }
}

extension ExactText {
    /// An upper bound of the bytes of the text in JSON.
    fileprivate var maximumJSONBytes: Int {
        text.utf8.reduce(0) { count, byte in
            let isEscaped =
                byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            return count + (isEscaped ? 6 : 1)
        }
    }
}

/// The last day of a delivery or a read, and the newest version of the template with which it was
/// made.
public struct UsageMark: Sendable, Hashable {
    /// The last day.
    public let day: UsageDay

    /// The newest version.
    public let version: Int

    /// Creates a mark.
    public init(day: UsageDay, version: Int) {
        self.day = day
        self.version = version
    }

    /// The later day and the newer version.
    public func merged(with other: UsageMark) -> UsageMark {
        UsageMark(day: max(day, other.day), version: max(version, other.version))
    }
}

/// How many of the clients that a server knew had the newest version on a day.
public struct UsageShare: Sendable, Hashable, Codable {
    /// The day.
    public let day: UsageDay

    /// The newest version.
    public let version: Int

    /// The number of clients that a server knew.
    public let clients: Int

    /// The number of those that had the newest version.
    public let current: Int

    /// Creates a share.
    public init(day: UsageDay, version: Int, clients: Int, current: Int) {
        self.day = day
        self.version = version
        self.clients = clients
        self.current = current
    }

    private enum CodingKeys: String, CodingKey {
        case day = "d"
        case version = "v"
        case clients = "n"
        case current = "c"
    }
}

/// Limits of a ``ProjectUsage``; its record has at most 64 KiB.
public enum UsageLimits: Sendable {
    /// Maximum number of apps of a project.
    public static let apps = 200

    /// Maximum length of an app's identifier and of its version, in bytes.
    public static let nameBytes = 128

    /// The days after which a delivery or a read is forgotten.
    public static let keptDays = 400

    /// Maximum number of shares of a project.
    public static let shares = 90

    static let appBytes = 24_000
    static let readBytes = 32_000

    /// What a long name takes: with less room than this, one may have been dropped.
    static let readReserve = 4_000

    /// Maximum number of settings whose reads a thread counts in a day.
    package static let countedReads = 2 * apps
}

extension ProjectUsage: Codable {
    private enum CodingKeys: String, CodingKey {
        case since
        case deliveries
        case reads
        case shares
    }

    private struct Delivery: Codable {
        /// The kind; nil for an app.
        var k: String?
        var i: String?
        var v: String?
        let d: UsageDay
        let t: Int
    }

    private struct Read: Codable {
        let s: String
        let k: String
        let d: UsageDay
    }

    /// Reads a usage.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        since = try container.decodeIfPresent(UsageDay.self, forKey: .since)
        for delivery in try container.decode([Delivery].self, forKey: .deliveries) {
            let kind = delivery.k.map { UsedApp.Kind(rawValue: $0) ?? .other } ?? .app
            let app: UsedApp =
                switch kind {
                case .app: UsedApp(id: delivery.i, version: delivery.v)
                case .service: .service
                case .other: .other
                }
            deliveries[app] = UsageMark(day: delivery.d, version: delivery.t)
        }
        for read in try container.decode([Read].self, forKey: .reads) {
            reads[UsedSetting(section: read.s, key: read.k)] = read.d
        }
        shares = try container.decode([UsageShare].self, forKey: .shares)
    }

    /// Writes the usage, equal ones as the same text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(since, forKey: .since)
        try container.encode(
            deliveries.sorted { $0.key.precedes($1.key) }.map { app, mark in
                Delivery(
                    k: app.kind == .app ? nil : app.kind.rawValue, i: app.id?.text,
                    v: app.version?.text, d: mark.day, t: mark.version)
            }, forKey: .deliveries)
        try container.encode(
            reads.sorted { $0.key.precedes($1.key) }.map { setting, day in
                Read(s: setting.section.text, k: setting.key.text, d: day)
            }, forKey: .reads)
        try container.encode(shares, forKey: .shares)
    }

    /// The usage as engines store it.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers can always be encoded; an empty record is read as no usage.
        return (try? encoder.encode(self)) ?? Data()
    }

    /// Reads a stored usage; a damaged one is lost, since nothing else depends on it.
    package init(record: Data) {
        self = (try? JSONDecoder().decode(Self.self, from: record)) ?? ProjectUsage()
    }
}
