package import Foundation

/// A record that a store keeps beside the users' own configurations: what waits for a user's
/// activation, or a small record of the installation, such as when it downloaded last.
///
/// Records are bytes, which a store neither reads nor changes.
public struct StoreRecord: Sendable, Hashable {
    enum Kind: Hashable {
        case pendingConfiguration(UserID)
        case clientState(String)
    }

    let kind: Kind

    /// The configuration that waits for a user's activation, with its entity tag.
    ///
    /// It takes no part in any fallback, and is removed with the user's own configuration.
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

    /// A name that no other record has, the same in each launch: lower-case ASCII letters, digits,
    /// hyphens and dots, at most 86 of them.
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
    /// The configuration that waits for a user; nil when none does.
    ///
    /// `package` for tests.
    ///
    /// - Throws: when it cannot be read, or is damaged; ``StoreRecord/UnsupportedError``.
    package func pendingConfiguration(forUserID userID: String?) throws -> ConfigurationState? {
        try record(.pendingConfiguration(forUserID: userID)).map {
            try StoredRecord($0, of: UserID(userID)).configuration()
        }
    }

    /// Stores a configuration that waits; nil removes it.
    ///
    /// `package` for tests.
    package func persistPendingConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        let record = StoreRecord.pendingConfiguration(forUserID: userID)
        let new = try configuration.map { try StoredRecord.encode($0, of: UserID(userID)) }
        // So that removing what is not there makes no folder.
        if new == nil, case .success(nil) = Result(catching: { try self.record(record) }) { return }
        try updateRecord(record) { _ in new }
    }

    /// A record of the installation; nil when there is none, as in a store that keeps no records.
    package func clientState(named name: String) throws -> Data? {
        do {
            return try record(.clientState(named: name))
        } catch is StoreRecord.UnsupportedError {
            return nil
        }
    }

    /// Changes a record of the installation; a store that keeps no records starts from nil, and drops
    /// the result.
    package func updateClientState(named name: String, _ change: (Data?) -> Data?) throws {
        do {
            try updateRecord(.clientState(named: name), change)
        } catch is StoreRecord.UnsupportedError {
            _ = change(nil)
        }
    }
}
