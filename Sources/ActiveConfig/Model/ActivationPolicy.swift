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

    /// Activates the sections of a newer document for which `moment` is the policy's moment.
    ///
    /// `waitsIfEqual` makes even an unchanged section wait.
    ///
    /// - Returns: The newer document when no section has to wait; else the old one with those
    ///   sections, and their names.
    func bringing(
        _ new: ConfigurationState, to old: ConfigurationState, at moments: Set<Moment>,
        waitsIfEqual: Bool = false
    ) -> (document: ConfigurationState, adopted: Set<String>, isWhole: Bool) {
        var (document, adopted, isWhole) = (old, Set<String>(), true)
        for name in Set(old.sections.keys).union(new.sections.keys) {
            let section = new.sections[name]
            if moments.contains(sections[name] ?? moment) {
                document.sections[name] = section
                adopted.insert(name)
            } else if waitsIfEqual
                || ActiveConfigSection.isChange(from: old.sections[name], to: section)
            {
                isWhole = false
            }
        }
        if isWhole { return (new, [], true) }
        // A mixed document is not an answer of the server.
        if document.sections != old.sections { document.entityTag = nil }
        return (document, adopted, false)
    }
}
