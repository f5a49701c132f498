public import Foundation

/// Why a setting has its value.
///
/// ```text
/// Checkout.isOn = true, downloaded (version 12, "etag-12"); beneath it: default false
/// ```
public struct SettingExplanation: Sendable, Hashable {
    /// A value and its source.
    public struct Layer: Sendable, Hashable {
        /// The source of the value.
        public let source: SettingSource
        /// The value; nil when it is masked.
        public let value: SettingValue?

        /// Creates a value with its source, for tests.
        public init(source: SettingSource, value: SettingValue?) {
            self.source = source
            self.value = value
        }
    }

    /// A value that waits for activation; see ``ActivationPolicy``.
    public struct PendingValue: Sendable, Hashable {
        /// The value; nil when the pending document has none, or when it is masked.
        public let value: SettingValue?

        /// Creates a value, for tests.
        public init(value: SettingValue?) { self.value = value }
    }

    /// The setting.
    public let path: SettingPath
    /// The value that the app gets, as a configuration would have it; nil when there is none, when
    /// it is masked, or when it is a key's default that cannot be written as JSON.
    ///
    /// By a key it is converted: if the document has 2.5, a key of an `Int` gives 2.
    public let value: SettingValue?
    /// The source of the value.
    public let source: SettingSource
    /// The unconverted values of all layers, the highest first, which covers the others.
    public let layers: [Layer]
    /// A Boolean value that indicates whether the values are masked.
    public let isMasked: Bool
    /// Why the app does not get the highest value; nil if it does.
    public let problem: SettingProblem?
    /// The pending document's value, if it differs from the active one's.
    public let pending: PendingValue?
    /// The explained document.
    public let document: ConfigurationReport.Document
    /// Index of the layer that supplies the value; nil when none does.
    let layer: Int?

    init(
        path: SettingPath, value: SettingValue?, source: SettingSource, layers: [Layer],
        isMasked: Bool, problem: SettingProblem?, pending: PendingValue?,
        document: ConfigurationReport.Document, layer: Int?
    ) {
        self.path = path
        self.value = value
        self.source = source
        self.layers = layers
        self.isMasked = isMasked
        self.problem = problem
        self.pending = pending
        self.document = document
        self.layer = layer
    }

    /// Creates an explanation, for tests.
    ///
    /// - Parameters:
    ///   - path: The setting.
    ///   - layers: All values, the highest first; the app gets the first.
    ///   - document: The explained document.
    ///   - problem: Why the app does not get the highest value.
    ///   - pending: The pending document's value.
    public init(
        _ path: SettingPath, layers: [Layer], document: ConfigurationReport.Document,
        problem: SettingProblem? = nil, pending: PendingValue? = nil
    ) {
        self.init(
            path: path, value: layers.first?.value, source: layers.first?.source ?? .absent,
            layers: layers, isMasked: false, problem: problem, pending: pending, document: document,
            layer: layers.isEmpty ? nil : 0)
    }
}

extension SettingExplanation: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        var text = "\(path) = \(shown(value)), \(source)"
        let details = [
            document.templateVersion.map { "version \($0)" }, document.entityTag,
            document.age.map { "\(Self.text(of: $0)) old" },
        ].compactMap { $0 }
        if !details.isEmpty, source == document.source, source != .absent {
            text += " (\(details.joined(separator: ", ")))"
        }
        if let pending {
            text += "; waiting for activation: \(shown(pending.value))"
            if let version = document.pendingTemplateVersion { text += " (version \(version))" }
        }
        let beneath = layers.dropFirst(layer.map { $0 + 1 } ?? layers.count)
        if !beneath.isEmpty {
            text += "; beneath it: "
            text += beneath.map { "\($0.source) \(shown($0.value))" }.joined(separator: ", ")
        }
        return (problem.map { "\(text); \($0.reason)" } ?? text).oneLine()
    }

    /// In the largest unit that gives at least two.
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
            "section": .string(path.sectionName), "name": .string(path.name),
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

/// All settings of an ``ActiveConfig`` with their sources, for a log or a support request.
public struct ConfigurationReport: Sendable, Hashable {
    /// A document's version, date, tag and source.
    public struct Document: Sendable, Hashable {
        /// The source of the document; ``SettingSource/absent`` when there is none.
        public let source: SettingSource
        /// `template_version` of `meta` (FORMAT 2.4).
        public let templateVersion: Int?
        /// `creation_time` of `meta`, if it is a valid date (FORMAT 2.3).
        public let creationDate: Date?
        /// The entity tag of the answer that brought it.
        public let entityTag: String?
        /// A Boolean value that indicates whether a newer document waits for activation.
        public let isPending: Bool
        /// `template_version` of the pending document.
        public let pendingTemplateVersion: Int?

        /// The time since the document was created; nil when it has no creation date.
        public var age: Duration? { creationDate.map { .seconds(-$0.timeIntervalSinceNow) } }

        /// Creates a description, for tests.
        public init(
            source: SettingSource, templateVersion: Int? = nil, creationDate: Date? = nil,
            entityTag: String? = nil, isPending: Bool = false, pendingTemplateVersion: Int? = nil
        ) {
            self.source = source
            self.templateVersion = templateVersion
            self.creationDate = creationDate
            self.entityTag = entityTag
            self.isPending = isPending
            self.pendingTemplateVersion = pendingTemplateVersion
        }

        init(_ contents: SnapshotContents) {
            let (document, pending) = (
                contents.configuration, contents.known.pending?.configuration
            )
            self.init(
                source: contents.source, templateVersion: document.templateVersion,
                creationDate: document.creationDate, entityTag: document.entityTag,
                isPending: pending != nil, pendingTemplateVersion: pending?.templateVersion)
        }
    }

    /// The user whose configuration is active; nil is the generic user.
    public let userID: String?
    /// The active document.
    public let document: ConfigurationReport.Document
    /// All settings, sorted by section and name.
    public let settings: [SettingExplanation]
    /// Settings that were left out or could not be read; see ``ConfigurationDiagnostics/problems``.
    public let problems: [SettingProblem]

    /// Creates a report, for tests.
    ///
    /// - Parameters:
    ///   - userID: The user; nil is the generic user.
    ///   - document: The active document.
    ///   - settings: All settings, sorted by section and name.
    ///   - problems: Settings that were left out or could not be read.
    public init(
        userID: String?, document: ConfigurationReport.Document, settings: [SettingExplanation],
        problems: [SettingProblem] = []
    ) {
        self.userID = userID
        self.document = document
        self.settings = settings
        self.problems = problems
    }

    /// The report as an object.
    public var settingValue: SettingValue {
        var object: [String: SettingValue] = [
            "user_id": userID.map { .string($0) } ?? .null,
            "source": .string(document.source.description),
            "settings": .array(settings.map(\.settingValue)),
            "problems": .array(problems.map { .string($0.description) }),
        ]
        object["template_version"] = document.templateVersion.map { .integer($0) }
        object["entity_tag"] = document.entityTag.map { .string($0) }
        if document.isPending { object["is_pending"] = true }
        object["pending_template_version"] = document.pendingTemplateVersion.map { .integer($0) }
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
