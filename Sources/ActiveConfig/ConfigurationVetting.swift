/// Decides which documents may become active, for example by a schema, a size or a signature.
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
/// Each document is vetted when it arrives, and each time it is read from the store, which can be
/// often in a launch: when its user is loaded or becomes current, at a reload, before a download, at
/// an activation. The vettings are called in the order of ``ActiveConfigOptions/vetting`` (those
/// that need the original first), until one vetting does not accept the document. Only those that
/// need the original vet answers without a document. A bootstrap configuration and in-app defaults
/// come with the app and are not vetted.
///
/// The functions can be called on any thread, concurrently, and block the decision. They must not
/// use the configuration that they decide for. One object serves one ``ActiveConfig``.
public protocol ConfigurationVetting: Sendable {
    /// Decides on a document.
    ///
    /// - Parameter candidate: The document, its user, and where it comes from.
    /// - Returns: The verdict.
    func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict

    /// True to have ``ConfigurationState/original`` kept: the bytes and header fields of the answer.
    ///
    /// A change pushed without them is then downloaded as a whole document. The default is false.
    var needsOriginal: Bool { get }

    /// Called once, when its configuration is created.
    ///
    /// - Parameter config: The configuration, not to be held strongly.
    func attach(to config: ActiveConfig)

    /// Called before a document becomes active for the current user.
    ///
    /// Another document may become active in between; ``didActivate(_:number:)`` reports the result.
    func willActivate(_ activation: ConfigurationActivation)

    /// Called with the document that is active for the current user, after each change.
    ///
    /// - Parameters:
    ///   - activation: The document.
    ///   - number: Orders the calls: ignore a call with a lower number than an earlier one's.
    func didActivate(_ activation: ConfigurationActivation, number: Int)

    /// Called each time that ``VettingVerdict/ignore(_:using:)`` was returned for a downloaded or
    /// stored document; observers receive it once.
    ///
    /// - Parameters:
    ///   - candidate: The document that is not used.
    ///   - replacement: The user's own document that is used instead; nil when there is none.
    func didIgnore(_ candidate: ConfigurationCandidate, using replacement: ConfigurationState?)

    /// The document that a request refers to, so that a server does not send a refused one again.
    ///
    /// For documents of earlier launches; for one refused in this launch an updater does this
    /// itself.
    ///
    /// - Parameters:
    ///   - lastKnown: The user's own last document.
    ///   - userID: The user; nil is the generic user.
    /// - Returns: By default `lastKnown`.
    func requestBase(
        _ lastKnown: ConfigurationState?, forUserID userID: String?
    ) -> ConfigurationState?

    /// The version of the user's newest document that has been refused since an earlier launch; nil
    /// by default.
    func newestRefusedVersion(forUserID userID: String?) -> Int?

    /// Durably removes what the vetting keeps of a user.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Throws: The error that forgetting the user then fails with.
    func forget(userID: String?) throws
}

extension ConfigurationVetting {
    /// False.
    public var needsOriginal: Bool { false }

    /// Does nothing.
    public func attach(to config: ActiveConfig) {}

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
