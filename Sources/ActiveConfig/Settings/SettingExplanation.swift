public import Foundation

/// Why a setting has its value.
///
/// ```text
/// Checkout.isOn = true, downloaded (version 12, "etag-12"); beneath it: default false
/// ```
public struct SettingExplanation: Sendable, Hashable {
    /// A value, and where it comes from.
    public struct Layer: Sendable, Hashable {
        /// Where the value comes from.
        public let source: SettingSource
        /// The value; nil when it is masked.
        public let value: SettingValue?
    }

    /// A value that waits for its activation; see ``ActivationPolicy``.
    public struct PendingValue: Sendable, Hashable {
        /// The value; nil when the document that waits has none, or when it is masked.
        public let value: SettingValue?
    }

    /// The section's name.
    public let sectionName: String
    /// The setting's name in the section.
    public let name: String
    /// The value that the app gets, as it would stand in a configuration; nil when there is none, when
    /// it is masked, or when it is the default of a key whose type cannot be written.
    ///
    /// By a key it is converted: where the document has 2.5, a key of an `Int` gives 2.
    public let value: SettingValue?
    /// Where the value comes from.
    public let source: SettingSource
    /// All values that there are, as they stand there, the highest first; those below the first are
    /// covered by it.
    public let layers: [Layer]
    /// A Boolean value that indicates whether the values are masked.
    public let isMasked: Bool
    /// Why the highest value is not the one that the app gets; nil if it is.
    public let problem: SettingProblem?
    /// The value in a downloaded document that waits for its activation, if it is another one than
    /// in the active document.
    public let pending: PendingValue?
    /// The document that was looked at.
    public let document: ConfigurationDescription
    /// Number of the layer that the value is from; nil when it is from none.
    let layer: Int?
}

/// What a configuration says of itself.
public struct ConfigurationDescription: Sendable, Hashable {
    /// Where the document comes from; ``SettingSource/none`` when there is none.
    public let source: SettingSource
    /// `template_version` of `meta` (FORMAT 2.4).
    public let version: Int?
    /// `creation_time` of `meta` as a date, if it is one (FORMAT 2.3).
    public let creationDate: Date?
    /// The entity tag of the answer in which it came.
    public let entityTag: String?
    /// A Boolean value that indicates whether a newer document waits for its activation.
    public let isPending: Bool
    /// `template_version` of the document that waits.
    public let pendingVersion: Int?

    /// The time since the document was made; nil when it does not say when.
    public var age: Duration? { creationDate.map { .seconds(-$0.timeIntervalSinceNow) } }

    init(_ snapshot: ConfigurationSnapshot) {
        source = snapshot.source
        version = snapshot.configuration.meta["template_version"]?.integerValue
        creationDate = snapshot.configuration.creationDate
        entityTag = snapshot.configuration.entityTag
        let pending = snapshot.known.pending?.configuration
        isPending = pending != nil
        pendingVersion = pending?.meta["template_version"]?.integerValue
    }
}

extension SettingExplanation: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        var text = "\(sectionName).\(name) = \(shown(value)), \(source)"
        let details = [
            document.version.map { "version \($0)" }, document.entityTag,
            document.age.map { "\(Self.text(of: $0)) old" },
        ].compactMap { $0 }
        if !details.isEmpty, source == document.source, source != .none {
            text += " (\(details.joined(separator: ", ")))"
        }
        if let pending {
            text += "; waiting for activation: \(shown(pending.value))"
            if let version = document.pendingVersion { text += " (version \(version))" }
        }
        let beneath = layers.dropFirst(layer.map { $0 + 1 } ?? layers.count)
        if !beneath.isEmpty {
            text += "; beneath it: "
            text += beneath.map { "\($0.source) \(shown($0.value))" }.joined(separator: ", ")
        }
        return (problem.map { "\(text); \($0.reason)" } ?? text).oneLine()
    }

    /// In the largest unit of which there are at least two.
    private static func text(of age: Duration) -> String {
        let seconds = age.components.seconds
        let units = [(86_400, "days"), (3_600, "hours"), (60, "minutes")]
        let unit = units.first { seconds >= 2 * Int64($0.0) } ?? (1, "seconds")
        return "\(seconds / Int64(unit.0)) \(unit.1)"
    }

    private func shown(_ value: SettingValue?) -> String {
        if isMasked { return "•••" }
        return value?.description ?? (source == .default ? "the key's default" : "nothing")
    }

    /// The explanation as an object, for a log or a support request.
    public var settingValue: SettingValue {
        var object: [String: SettingValue] = [
            "section": .string(sectionName), "name": .string(name),
            "source": .string(source.description),
            "layers": .array(
                layers.map { layer in
                    var object: [String: SettingValue] = [
                        "source": .string(layer.source.description)
                    ]
                    object["value"] = layer.value
                    return .object(object)
                }),
        ]
        object["value"] = value
        if isMasked { object["masked"] = true }
        if let pending { object["pending"] = pending.value ?? .null }
        object["problem"] = problem.map { .string($0.reason) }
        return .object(object)
    }
}

/// All settings of an ``ActiveConfig``, each with its source, for a log or a support request.
public struct ConfigurationReport: Sendable, Hashable {
    /// The user whose configuration is active; nil is the generic user.
    public let userID: String?
    /// The active document.
    public let document: ConfigurationDescription
    /// All settings, sorted by section and name.
    public let settings: [SettingExplanation]
    /// Settings that are left out or could not be read so far; see ``ActiveConfig/problems``.
    public let problems: [SettingProblem]

    /// The report as an object.
    public var settingValue: SettingValue {
        var object: [String: SettingValue] = [
            "user_id": userID.map { .string($0) } ?? .null,
            "source": .string(document.source.description),
            "settings": .array(settings.map(\.settingValue)),
            "problems": .array(problems.map { .string($0.description) }),
        ]
        object["template_version"] = document.version.map { .integer($0) }
        object["entity_tag"] = document.entityTag.map { .string($0) }
        if document.isPending { object["is_pending"] = true }
        object["pending_template_version"] = document.pendingVersion.map { .integer($0) }
        object["creation_time"] = document.creationDate.flatMap(SettingText.text(of:)).map {
            .string($0)
        }
        return .object(object)
    }

    /// The report as JSON, keys sorted.
    public func jsonData() -> Data { settingValue.jsonData() }
}

extension ConfigurationReport: CustomStringConvertible {
    /// One line for the document, and one for each setting and problem.
    public var description: String {
        let user = UserID(userID).description
        let waiting = document.isPending ? ", while a newer one waits for its activation" : ""
        let lines =
            ["Configuration of \(user), \(document.source)\(waiting):"] + settings.map { "  \($0)" }
            + problems.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }
}
