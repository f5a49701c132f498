/// When a downloaded document becomes active.
///
/// ```swift
/// var options = ActiveConfigOptions()
/// options.activationPolicy = .manual(except: ["KillSwitches"])
/// ```
///
/// A pending document is kept across launches if the store keeps records (``StoreRecord``). Readers
/// and listeners do not see it. A document is not pending if none of its waiting sections differs
/// from the active one. See <doc:Downloading-and-activating>.
public struct ActivationPolicy: Sendable, Hashable {
    /// When a section of a downloaded document becomes active.
    ///
    /// Moments may be added: keep a `default` when you switch over it.
    public struct Moment: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case immediate, manual, nextLaunch
        }

        private let kind: Kind

        /// As soon as it is downloaded.
        public static let immediate = Moment(kind: .immediate)
        /// When the app calls `activate()`.
        public static let manual = Moment(kind: .manual)
        /// When the user's configuration is first loaded in the next launch.
        public static let nextLaunch = Moment(kind: .nextLaunch)

        /// The moment's name, such as `nextLaunch`.
        public var description: String { kind.rawValue }
    }

    /// The moment for sections that are not in ``sections``.
    public let moment: Moment
    /// The moments of single sections, by name.
    public let sections: [String: Moment]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - moment: The moment for all other sections.
    ///   - sections: The moments of single sections, by name.
    public init(_ moment: Moment, sections: [String: Moment] = [:]) {
        self.moment = moment
        self.sections = sections
    }

    /// A document becomes active as soon as it is downloaded: the default.
    public static let immediate = ActivationPolicy(.immediate)

    /// A document waits for `activate()`.
    public static let manual = ActivationPolicy(.manual)

    /// A document waits for the next launch, or `activate()`.
    public static let nextLaunch = ActivationPolicy(.nextLaunch)

    /// Holds all sections until `activate()`, except the named ones.
    ///
    /// - Parameter names: The sections that become active as soon as they are downloaded.
    /// - Returns: The policy.
    public static func manual(except names: Set<String>) -> ActivationPolicy {
        ActivationPolicy(.manual, immediateSections: names)
    }

    /// Holds all sections until the next launch, except the named ones.
    ///
    /// - Parameter names: The sections that become active as soon as they are downloaded.
    /// - Returns: The policy.
    public static func nextLaunch(except names: Set<String>) -> ActivationPolicy {
        ActivationPolicy(.nextLaunch, immediateSections: names)
    }

    private init(_ moment: Moment, immediateSections: Set<String>) {
        let sections = immediateSections.map { ($0, Moment.immediate) }
        self.init(moment, sections: Dictionary(uniqueKeysWithValues: sections))
    }

    var isImmediate: Bool { self == .immediate }

    /// True when a section of a newer document has to wait: its moment is none of `moments`, and it
    /// differs from the active one.
    ///
    /// - Parameters:
    ///   - new: The newer document.
    ///   - active: The active document.
    ///   - moments: The moments that have come.
    ///   - evenIfEqual: True to let sections wait that do not differ.
    /// - Returns: False when the document can become active as a whole.
    func hasToWait(
        _ new: ConfigurationState, after active: ConfigurationState, at moments: Set<Moment>,
        evenIfEqual: Bool = false
    ) -> Bool {
        if isImmediate { return false }
        return names(of: active, new).contains { name in
            !isAmong(moments, name)
                && (evenIfEqual
                    || ActiveConfigSection.isChange(
                        from: active.sections[name], to: new.sections[name]))
        }
    }

    /// Replaces the sections of a document whose moment has come by those of a newer one.
    ///
    /// - Returns: The names of the newer document's sections.
    func adopt(
        _ new: ConfigurationState, into document: inout ConfigurationState,
        at moments: Set<Moment>
    ) -> Set<String> {
        var adopted: Set<String> = []
        for name in names(of: document, new) where isAmong(moments, name) {
            document.sections[name] = new.sections[name]
            if new.sections[name] != nil { adopted.insert(name) }
        }
        return adopted
    }

    private func names(of old: ConfigurationState, _ new: ConfigurationState) -> Set<String> {
        Set(old.sections.keys).union(new.sections.keys)
    }

    private func isAmong(_ moments: Set<Moment>, _ sectionName: String) -> Bool {
        moments.contains(sections[sectionName] ?? moment)
    }
}
