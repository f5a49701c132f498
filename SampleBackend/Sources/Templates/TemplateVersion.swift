public import Foundation
public import JSONTree

/// The metadata of a published version of a template.
public struct TemplateVersion: Sendable, Hashable {
    /// The interface through which a version was published.
    public enum Origin: String, Sendable, Hashable {
        case console = "CONSOLE"
        /// The HTTP interface, including the command line.
        case restAPI = "REST_API"
        /// The server, at a scheduled time.
        case schedule = "SCHEDULE"
        /// Firebase's Node SDK; kept on import, never set by this backend.
        case adminSDKNode = "ADMIN_SDK_NODE"
        /// Anything else.
        case unspecified = "REMOTE_CONFIG_UPDATE_ORIGIN_UNSPECIFIED"
    }

    /// The kind of a publish.
    public enum UpdateType: String, Sendable, Hashable, Codable {
        /// The publisher gave the version on which the change is based.
        case incrementalUpdate = "INCREMENTAL_UPDATE"
        /// The publisher replaced the current version, whatever it was.
        case forcedUpdate = "FORCED_UPDATE"
        case rollback = "ROLLBACK"
        /// The changes of an earlier version were taken back, and later ones were kept.
        ///
        /// Firebase has no such kind.
        case undo = "UNDO"
        /// No publish: the empty template with which a project was created; or an unknown kind.
        case unspecified = "REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED"
    }

    /// The person or program that published.
    public struct User: Sendable, Hashable {
        /// The name of the token or the person.
        public var name: String?
        /// The email address.
        public var email: String?
        /// The URL of a picture.
        public var imageURL: String?

        /// Creates a user.
        public init(name: String? = nil, email: String? = nil, imageURL: String? = nil) {
            self.name = name
            self.email = email
            self.imageURL = imageURL
        }
    }

    /// The number, from 1, incremented by each publish; 0 is the empty template of a new project, or
    /// means no version.
    public var number: Int

    /// The time of the publish, to the millisecond.
    public var updateTime: Date

    /// The publisher.
    public var updateUser: User

    /// The publisher's note, at most 1,024 characters.
    public var description: String?

    /// The interface through which the version was published.
    public var updateOrigin: Origin

    /// The kind of publish.
    public var updateType: UpdateType

    /// The number of the version that a rollback republished, or whose changes an undo took back.
    public var sourceVersion: Int?

    /// Creates a version.
    public init(
        number: Int, updateTime: Date, updateUser: User = User(), description: String? = nil,
        updateOrigin: Origin = .restAPI, updateType: UpdateType = .incrementalUpdate,
        sourceVersion: Int? = nil
    ) {
        self.number = number
        self.updateTime = updateTime
        self.updateUser = updateUser
        self.description = description
        self.updateOrigin = updateOrigin
        self.updateType = updateType
        self.sourceVersion = sourceVersion
    }
}

extension TemplateVersion {
    /// The empty template of a new project, which is not a publish.
    ///
    /// Its number is not 0 where a deleted project had the same name.
    public static func creation(number: Int, time: Date, actor: String) -> TemplateVersion {
        TemplateVersion(
            number: number, updateTime: time, updateUser: User(name: actor),
            updateType: .unspecified)
    }

    /// False for the empty template of a new project.
    public var isPublished: Bool { updateType != .unspecified }

    /// The version in Firebase's format: numbers as strings, the time in UTC to the millisecond.
    public var json: JSONNode {
        var members: NamedValues<JSONNode> = [
            "versionNumber": .string("\(number)"),
            "updateTime": .string(updateTime.timestamp),
        ]
        var user: NamedValues<JSONNode> = [:]
        user["name"] = updateUser.name.map { .string($0) }
        user["email"] = updateUser.email.map { .string($0) }
        user["imageUrl"] = updateUser.imageURL.map { .string($0) }
        if !user.isEmpty { members["updateUser"] = .object(user) }
        members["description"] = description.map { .string($0) }
        members["updateOrigin"] = .string(updateOrigin.rawValue)
        members["updateType"] = .string(updateType.rawValue)
        let sourceName = updateType == .undo ? "undoneVersionNumber" : "rollbackSource"
        members[sourceName] = sourceVersion.map { .string("\($0)") }
        return .object(members)
    }

    /// Reads the version in a template, ignoring invalid members.
    ///
    /// An exported template contains it when it is published. The server sets everything except the
    /// description, so nothing in it is an error.
    init(_ members: NamedValues<JSONNode>) {
        func number(_ node: JSONNode?) -> Int? {
            node?.stringValue.flatMap { Int($0) } ?? node?.integerValue
        }
        let date = members["updateTime"]?.stringValue.flatMap { Date(timestamp: $0) }
        self.init(
            number: number(members["versionNumber"]) ?? 0,
            updateTime: date ?? Date(timeIntervalSince1970: 0),
            updateUser: User(
                name: members["updateUser"]?["name"]?.stringValue,
                email: members["updateUser"]?["email"]?.stringValue,
                imageURL: members["updateUser"]?["imageUrl"]?.stringValue),
            description: members["description"]?.stringValue,
            updateOrigin: members["updateOrigin"]?.stringValue.flatMap(Origin.init(rawValue:))
                ?? .unspecified,
            updateType: members["updateType"]?.stringValue.flatMap(UpdateType.init(rawValue:))
                ?? .unspecified,
            sourceVersion: number(members["rollbackSource"] ?? members["undoneVersionNumber"]))
    }
}
