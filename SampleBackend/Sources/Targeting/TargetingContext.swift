public import Foundation

/// A type that holds all that conditions may look at: who asks, with what signals, and when.
public struct TargetingContext: Sendable, Hashable {
    /// The user's ID; nil is the generic user, for whom rules on the user and `percent` are false.
    public var userID: String?

    /// What the client said about itself.
    public var signals: Signals

    /// The time that `dateTime` stands for.
    public var date: Date

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - userID: The user's ID; nil is the generic user.
    ///   - signals: What the client said about itself.
    ///   - date: The time that `dateTime` stands for.
    public init(userID: String?, signals: Signals = Signals(), date: Date) {
        self.userID = userID
        self.signals = signals
        self.date = date
    }
}
