/// Decides which documents may become active, such as by a schema, a size or a signature.
///
/// ```swift
/// struct SizeLimit: ConfigurationVetting {
///     func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
///         candidate.document.sections.count <= 100
///             ? .accept : .refuse(ConfigurationRefusal("It has more than 100 sections."))
///     }
/// }
/// options.vetting = [SizeLimit()]
/// ```
///
/// Each document is asked about once when it arrives and once when it is read from the store, in the order
/// of ``ActiveConfigOptions/vetting``, those first that need the original, until one does not accept it. They
/// alone are asked about answers without a document. A bootstrap configuration and in-app
/// defaults come with the app, and are not asked about.
///
/// The functions are called on any thread, several at once, and hold up what they decide on. They must not
/// use the configuration that they decide for. One object serves one ``ActiveConfig``.
public protocol ConfigurationVetting: Sendable {
    /// Decides on a document.
    ///
    /// - Parameter candidate: The document, its user, and where it comes from.
    /// - Returns: The verdict.
    func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict

    /// True to have ``ConfigurationState/original`` kept: the bytes and header fields of the answer.
    ///
    /// Then a change that is pushed without them is downloaded as a whole document. False unless
    /// implemented.
    var needsOriginal: Bool { get }

    /// Called once, when the configuration that it decides for is created.
    ///
    /// - Parameter activeConfig: The configuration, not to be held strongly.
    func attach(to activeConfig: ActiveConfig)

    /// Called before a document becomes active for the current user.
    ///
    /// Another one may become active meanwhile, which ``didActivate(_:number:)`` tells.
    func willActivate(_ activation: ConfigurationActivation)

    /// Called with the document that is active for the current user, after each change.
    ///
    /// - Parameters:
    ///   - activation: The document.
    ///   - number: Orders the calls: one with a lower number than a former one's tells nothing.
    func didActivate(_ activation: ConfigurationActivation, number: Int)

    /// Called after ``VettingVerdict/ignore(_:using:)`` of a document that was downloaded or stored, each time;
    /// observers hear of it once.
    ///
    /// - Parameters:
    ///   - candidate: The document that is not used.
    ///   - replacement: The user's own document that is used instead; nil when there is none.
    func didIgnore(_ candidate: ConfigurationCandidate, using replacement: ConfigurationState?)

    /// The document that a request is about, so that a server does not send a refused one again.
    ///
    /// For documents of earlier launches: an updater asks about one that has arrived in this launch anyway.
    ///
    /// - Parameters:
    ///   - lastKnown: The user's own last document.
    ///   - userID: The user; nil is the generic user.
    /// - Returns: `lastKnown` unless implemented.
    func requestBase(
        _ lastKnown: ConfigurationState?, forUserID userID: String?
    ) -> ConfigurationState?

    /// The version of the user's newest document that is refused since an earlier launch; nil, unless
    /// implemented.
    func newestRefusedVersion(forUserID userID: String?) -> Int?

    /// Removes what is kept of a user, durably.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Throws: The error with which forgetting the user fails.
    func forget(userID: String?) throws
}

extension ConfigurationVetting {
    /// False.
    public var needsOriginal: Bool { false }

    /// Does nothing.
    public func attach(to activeConfig: ActiveConfig) {}

    /// Does nothing.
    public func willActivate(_ activation: ConfigurationActivation) {}

    /// Does nothing.
    public func didActivate(_ activation: ConfigurationActivation, number: Int) {}

    /// Does nothing.
    public func didIgnore(
        _ candidate: ConfigurationCandidate, using replacement: ConfigurationState?
    ) {}

    /// `lastKnown`.
    public func requestBase(
        _ lastKnown: ConfigurationState?, forUserID userID: String?
    ) -> ConfigurationState? { lastKnown }

    /// Nil.
    public func newestRefusedVersion(forUserID userID: String?) -> Int? { nil }

    /// Does nothing.
    public func forget(userID: String?) throws {}
}
