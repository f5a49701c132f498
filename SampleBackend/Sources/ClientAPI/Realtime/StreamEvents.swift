import ActiveConfig
import Foundation
import NIOCore
import Rendering
import Templates

/// A type that makes the events of HTTP 2 and of OFREP's streams.
enum StreamEvents {
    /// How many milliseconds a client waits before it connects again, unless it is told otherwise.
    private static let retry = 2_000

    /// The first event: which version is current.
    static func hello(version: Int) -> ByteBuffer {
        ServerSentEvent(
            name: "hello", id: "\(version)", retry: retry, data: versionData(version)
        ).bytes
    }

    /// What has changed in a user's document.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - userID: Whose.
    ///   - basis: What the document afterwards depends on.
    ///   - configuration: The project afterwards.
    /// - Returns: The event as it is sent.
    static func update(
        _ change: DocumentChange, forUserID userID: String?, basis: DocumentBasis,
        in configuration: ProjectConfiguration
    ) -> ByteBuffer {
        let version = configuration.compiled.version.number
        let document = configuration.rendered(for: basis, userID: userID).configuration
        return ServerSentEvent(
            name: "update", id: "\(version)",
            data: change.jsonBytes(
                forUserID: userID, entityTag: document.entityTag, version: version)
        ).bytes
    }

    /// That what changed is not known: the client fetches.
    static func reset(version: Int) -> ByteBuffer {
        ServerSentEvent(name: "reset", id: "\(version)", data: versionData(version)).bytes
    }

    /// That a provider of OpenFeature has to evaluate again.
    static func refetch(_ version: TemplateVersion) -> ByteBuffer {
        let data: SettingValue = [
            "type": "refetchEvaluation",
            "lastModified": .integer(Int(version.updateTime.timeIntervalSince1970)),
        ]
        return ServerSentEvent(
            name: "message", id: "\(version.number)", data: ByteBuffer(bytes: data.jsonData())
        ).bytes
    }

    /// The last event: the server ends, and the client comes back later.
    ///
    /// - Parameter milliseconds: When.
    /// - Returns: The event as it is sent.
    static func goodbye(after milliseconds: Int) -> ByteBuffer {
        let data: SettingValue = ["after_ms": .integer(milliseconds)]
        return ServerSentEvent(
            name: "retry", retry: milliseconds, data: ByteBuffer(bytes: data.jsonData())
        ).bytes
    }

    /// `{"template_version": 7}`.
    private static func versionData(_ version: Int) -> ByteBuffer {
        let data: SettingValue = ["template_version": .integer(version)]
        return ByteBuffer(bytes: data.jsonData())
    }
}
