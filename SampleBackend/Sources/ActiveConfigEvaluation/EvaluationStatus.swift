public import ActiveConfigRealtime
public import Foundation

/// The template from which a ``TemplateEvaluator`` answers, and how it follows the server.
public struct EvaluationStatus: Sendable {
    /// A template that is not used; the one before stays active.
    public struct Refusal: Sendable, CustomStringConvertible {
        /// The version of the template, if the document names it.
        public let templateVersion: Int?
        /// The reason, such as that it needs a later version of this program.
        public let reason: String
        /// When it was received.
        public let time: Date

        /// One sentence with the version and the reason.
        public var description: String {
            let version = templateVersion.map { "Version \($0)" } ?? "A template"
            return "\(version) is not used: \(reason)\(reason.hasSuffix(".") ? "" : ".")"
        }
    }

    /// The version of the active template; nil while there is none.
    public let templateVersion: Int?

    /// When the server sent or confirmed the active template, in this run or an earlier one; nil: it
    /// never did.
    ///
    /// A long poll that ends without a change counts, so it is at most half a minute old while the
    /// connection is live. It is written once a minute, so a process that was killed has lost up to a
    /// minute of it.
    public let confirmationDate: Date?

    /// How the evaluator follows the server: connecting, until the first long poll has been answered
    /// after up to 25 seconds; live; waiting, with the error that it waits after, such as an expired
    /// token (401); paused or stopped.
    public let connection: ActiveConfigUpdateState

    /// The newest template, if this program cannot use it.
    public let refusal: Refusal?
}
