public import Foundation

/// An address that is told of each publish (HTTP 3), as a store keeps it.
public struct StoredWebhook: Sendable, Hashable {
    /// The public identifier, by which it is listed and removed.
    public let id: String

    /// The project whose publishes it is told of.
    public let project: String

    /// The address.
    public let url: String

    /// The secret that signs what is sent; it is kept as it is, since signing needs it.
    public let secret: String

    /// When it was made.
    public let creationDate: Date

    /// Who made it: the name of a token.
    public let creator: String

    /// Makes a webhook.
    public init(
        id: String, project: String, url: String, secret: String, creationDate: Date,
        creator: String
    ) {
        self.id = id
        self.project = project
        self.url = url
        self.secret = secret
        self.creationDate = creationDate
        self.creator = creator
    }
}

extension StoredWebhook: CustomStringConvertible, CustomReflectable {
    /// The identifier and the address.
    public var description: String { "\(id) (\(url))" }

    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
