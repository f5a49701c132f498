public import Foundation

/// What is known of one published version of a template.
public struct TemplateVersion: Sendable, Hashable {
    /// The way a version came in.
    public enum Origin: String, Sendable, Hashable {
        /// The console.
        case console = "CONSOLE"
        /// The HTTP interface, the command line included.
        case restAPI = "REST_API"
        /// Firebase's Node SDK; it is kept, never given.
        case adminSDKNode = "ADMIN_SDK_NODE"
        /// Anything else.
        case unspecified = "REMOTE_CONFIG_UPDATE_ORIGIN_UNSPECIFIED"
    }

    /// The kind of a publish.
    public enum UpdateType: String, Sendable, Hashable {
        /// The publisher named the version the change was made to.
        case incrementalUpdate = "INCREMENTAL_UPDATE"
        /// The publisher put it over whatever there was.
        case forcedUpdate = "FORCED_UPDATE"
        /// An older version, published again.
        case rollback = "ROLLBACK"
        /// Anything else.
        case unspecified = "REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED"
    }

    /// A person or program that published.
    public struct User: Sendable, Hashable {
        /// The name of the token, or of the person.
        public var name: String?
        /// The address for mail.
        public var email: String?
        /// Where a picture is.
        public var imageURL: String?

        /// Makes a user.
        public init(name: String? = nil, email: String? = nil, imageURL: String? = nil) {
            self.name = name
            self.email = email
            self.imageURL = imageURL
        }
    }

    /// The number, from 1, one more with each publish; 0 stands for no version.
    public var number: Int

    /// When it was published, to the millisecond.
    public var updateTime: Date

    /// Who published it.
    public var updateUser: User

    /// What the publisher said about it, at most 1,024 characters.
    public var description: String?

    /// The way it came in.
    public var updateOrigin: Origin

    /// The kind of publish.
    public var updateType: UpdateType

    /// The version that was published again, of a rollback.
    public var rollbackSource: Int?

    /// Makes a version.
    public init(
        number: Int, updateTime: Date, updateUser: User = User(), description: String? = nil,
        updateOrigin: Origin = .restAPI, updateType: UpdateType = .incrementalUpdate,
        rollbackSource: Int? = nil
    ) {
        self.number = number
        self.updateTime = updateTime
        self.updateUser = updateUser
        self.description = description
        self.updateOrigin = updateOrigin
        self.updateType = updateType
        self.rollbackSource = rollbackSource
    }
}
