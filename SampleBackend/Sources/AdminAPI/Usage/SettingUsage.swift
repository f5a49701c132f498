import Foundation
import JSONTree
import TemplateStore
import Templates

/// What is known of the use of one setting.
///
/// List, filter, badge, API and command line show the same: all of it follows from this value.
struct SettingUsage: Sendable, Hashable {
    let setting: UsedSetting

    /// Since when the setting exists; nil when that is unknown.
    var introduction: SettingPasts.Start?

    /// Since when everybody gets the same value; nil when it depends on the client, also by a pinned
    /// value.
    var constancy: SettingPasts.Start?

    /// The first day on which the use of the project was recorded; nil before.
    var recordedSince: UsageDay?

    /// The last day on which an app or a service received a template with the setting.
    var delivered: UsageDay?

    /// The last day on which a client evaluated the setting by its name; nil when nobody reported it,
    /// which says nothing about clients that read it from a document.
    var read: UsageDay?

    /// True for a setting that clients never receive.
    var isHidden = false

    /// True for a setting that clients no longer receive.
    var isArchived = false

    /// True when a read of it may have been dropped, since so many others are read.
    var mayLackReads = false

    /// Why the setting stays although it seems unused; nil for other settings.
    var permanentReason: String?

    /// The use in words, which never take a delivery for a read.
    var use: String {
        if isArchived { return "archived" }
        if read != nil { return "read" }
        if delivered != nil { return "delivered, reads unknown" }
        return recordedSince == nil ? "unknown" : "not delivered"
    }
}

/// The thresholds of staleness, in days.
struct StaleThresholds: Sendable, Hashable {
    /// Days without delivery and read; younger settings are not stale either.
    var unusedDays = 30

    /// Days for which everybody has the same value.
    var sameDays = 60
}

/// Why a setting may no longer be needed.
struct Staleness: Sendable, Hashable {
    enum Reason: String, Sendable, Hashable {
        /// It was neither delivered nor read.
        case unused = "UNUSED"
        /// Everybody gets the same value, and nobody is known to read it by its name.
        case sameForEverybody = "SAME_FOR_EVERYBODY"
    }

    let reason: Reason
    let since: UsageDay
    let days: Int

    /// A sentence without a full stop.
    var text: String {
        let since = "since \(since.text), \(days) days"
        return switch reason {
        case .unused: "neither delivered nor read \(since)"
        case .sameForEverybody: "the same for everybody \(since)"
        }
    }
}

extension SettingUsage {
    /// Why the setting is stale on a day; nil when it is not.
    ///
    /// Use decides first: a setting that was read lately is not stale, one that was neither delivered
    /// nor read is. Only where reads are unknown does the configuration decide.
    func staleness(
        on day: UsageDay, _ thresholds: StaleThresholds = StaleThresholds()
    ) -> Staleness? {
        guard !isArchived, !isHidden, permanentReason == nil,
            let introduced = introduction.map({ UsageDay($0.date) }),
            introduced.distance(to: day) >= thresholds.unusedDays
        else { return nil }
        let isReadLately = read.map { $0.distance(to: day) < thresholds.unusedDays } ?? false
        // A later read may have been dropped.
        if mayLackReads || isReadLately { return nil }
        let last = [delivered, read, recordedSince, introduced].compactMap { $0 }.max()
        if let recordedSince, let last, recordedSince.distance(to: day) >= thresholds.unusedDays,
            last.distance(to: day) >= thresholds.unusedDays
        {
            return Staleness(reason: .unused, since: last, days: last.distance(to: day))
        }
        guard let constancy else { return nil }
        let since = UsageDay(constancy.date)
        let days = since.distance(to: day)
        guard days >= thresholds.sameDays else { return nil }
        return Staleness(reason: .sameForEverybody, since: since, days: days)
    }
}

extension ProjectUsage {
    /// The use of the settings of a template, in its order.
    ///
    /// - Parameters:
    ///   - template: The current template.
    ///   - pasts: The past of its settings.
    ///   - pinned: The settings with pinned values of any user.
    /// - Returns: The use of each setting.
    func settings(
        of template: RemoteConfigTemplate, _ pasts: SettingPasts, pinned: Set<UsedSetting>
    ) -> [SettingUsage] {
        // Sorted once, since there are up to thousands of settings.
        let deliveries = deliveries.values.sorted { $0.day > $1.day }
        var settings: [SettingUsage] = []
        for (section, parameters) in template.sections {
            for (key, parameter) in parameters {
                let name = UsedSetting(section: section, key: key)
                let past = pasts[section, key]
                var setting = SettingUsage(setting: name)
                setting.introduction = past?.introduction
                setting.constancy = pinned.contains(name) ? nil : past?.constancy
                setting.recordedSince = since
                setting.isHidden = parameter.isMasterKeyOnly
                setting.isArchived = parameter.isArchived
                setting.mayLackReads = mayLackReads
                setting.permanentReason = parameter.permanentReason
                if !setting.isHidden, !setting.isArchived {
                    // An app with an earlier version has not received the setting.
                    let isExact = past?.introduction.isAtLeast == false
                    let first = isExact ? past?.introduction.version ?? 0 : 0
                    setting.delivered = deliveries.first { $0.version >= first }?.day
                }
                // A read before is one of a setting that was removed since.
                let introduced = past.map { UsageDay($0.introduction.date) }
                setting.read = reads[name].flatMap { day in
                    introduced.map { day >= $0 } ?? true ? day : nil
                }
                settings.append(setting)
            }
        }
        return settings
    }
}

extension UsageDay {
    /// Such as `2026-11-29`.
    var text: String { String(date.timestamp.prefix(10)) }
}

extension SettingUsage {
    /// `{"section": "Home", "key": "title", "use": "delivered, reads unknown", "delivered":
    /// "2026-11-29", "read": "unknown", "introduced": {…}, "sameForEverybodySince": {…}, "stale":
    /// {…}}`.
    func json(_ staleness: Staleness?) -> JSONNode {
        var node: JSONNode = [
            "section": .string(setting.section.text), "key": .string(setting.key.text),
            "use": .string(use), "delivered": delivered.map { .string($0.text) } ?? .null,
            "read": .string(read?.text ?? "unknown"),
        ]
        node.setMember("introduced", introduction?.json)
        node.setMember("sameForEverybodySince", constancy?.json)
        if isHidden { node.setMember("hidden", true) }
        if isArchived { node.setMember("archived", true) }
        node.setMember("permanentReason", permanentReason.map { .string($0) })
        node.setMember("stale", staleness?.json)
        return node
    }
}

extension SettingPasts.Start {
    /// `{"version": "7", "date": "2026-09-01", "atLeast": true}`.
    fileprivate var json: JSONNode {
        var node: JSONNode = [
            "version": .string("\(version)"), "date": .string(UsageDay(date).text),
        ]
        if isAtLeast { node.setMember("atLeast", true) }
        return node
    }
}

extension Staleness {
    /// `{"reason": "SAME_FOR_EVERYBODY", "since": "2026-09-01", "days": 89, "text": "…"}`.
    fileprivate var json: JSONNode {
        [
            "reason": .string(reason.rawValue), "since": .string(since.text),
            "days": .number("\(days)"), "text": .string(text),
        ]
    }
}
