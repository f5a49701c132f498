package import Foundation

/// A record that a store keeps besides the users' own configurations: a user's pending
/// configuration, or a small record of the installation, such as the time of the last download.
///
/// Records are bytes, which a store neither interprets nor changes.
public struct StoreRecord: Sendable, Hashable {
    enum Kind: Hashable {
        case pendingConfiguration(UserID)
        case clientState(String)
    }

    let kind: Kind

    /// A user's pending configuration, with its entity tag.
    ///
    /// Not part of any fallback, and removed with the user's own configuration.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Returns: The record.
    public static func pendingConfiguration(forUserID userID: String?) -> StoreRecord {
        StoreRecord(kind: .pendingConfiguration(UserID(userID)))
    }

    /// A record of the installation, which belongs to no user.
    ///
    /// - Parameter name: Lower-case ASCII letters, digits and hyphens, at most 80 of them.
    /// - Returns: The record.
    public static func clientState(named name: String) -> StoreRecord {
        StoreRecord(kind: .clientState(name))
    }

    /// A unique name, the same in each launch: lower-case ASCII letters, digits, hyphens and dots,
    /// at most 86 of them.
    public var key: String {
        switch kind {
        case .pendingConfiguration(let userID): "\(userID.storeName).pending"
        case .clientState(let name): "state-\(name)"
        }
    }

    /// The error of a store that keeps no records.
    public struct UnsupportedError: Error, Sendable, Hashable, CustomStringConvertible {
        /// Creates the error.
        public init() {}

        /// One sentence.
        public var description: String { "The store keeps no records." }
    }
}

extension UserID {
    /// The name under which a user's configuration is stored, the same in each launch.
    var storeName: String { string == nil ? digest : "user-\(digest)" }
}

extension ActiveConfigStore {
    /// A user's pending configuration; nil when there is none.
    ///
    /// `package` for tests.
    ///
    /// - Throws: when it cannot be read, or is damaged; ``StoreRecord/UnsupportedError``.
    package func pendingConfiguration(forUserID userID: String?) throws -> ConfigurationState? {
        try record(.pendingConfiguration(forUserID: userID)).map {
            try StoredRecord($0, of: UserID(userID)).configuration()
        }
    }

    /// Stores a pending configuration; nil removes it.
    ///
    /// `package` for tests.
    package func persistPendingConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        let record = StoreRecord.pendingConfiguration(forUserID: userID)
        let new = try configuration.map { try StoredRecord.encode($0, of: UserID(userID)) }
        // So that removing an absent record creates no folder.
        if new == nil, case .success(nil) = Result(catching: { try self.record(record) }) { return }
        try updateRecord(record) { _ in new }
    }

    /// A record of the installation; nil when there is none, or the store keeps no records.
    package func clientState(named name: String) throws -> Data? {
        do {
            return try record(.clientState(named: name))
        } catch is StoreRecord.UnsupportedError {
            return nil
        }
    }

    /// Changes a record of the installation; with a store that keeps no records it starts from nil,
    /// and the result is dropped.
    package func updateClientState(named name: String, _ change: (Data?) -> Data?) throws {
        do {
            try updateRecord(.clientState(named: name), change)
        } catch is StoreRecord.UnsupportedError {
            _ = change(nil)
        }
    }
}
