public import Foundation

/// A store in a folder: a file per user, durable, checked, private.
///
/// A configuration is written to a temporary file, synchronized, and renamed into place, so that a
/// crash leaves the old one or the new one. Each file carries a checksum and its user's ID, and the
/// good version before it is kept. A file that is damaged, or another user's, is put aside with the
/// ending `.damaged`, named in the log, and the next in line is used: the previous version, the
/// generic user, the bootstrap configuration. Reading never throws.
///
/// Several processes may share the folder, as an app and its extension do. Files are named after a
/// digest of the user ID, so that any string is a user of its own.
///
/// ```swift
/// let support = try FileManager.default.url(
///     for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
/// let store = FileDefaultsStore(directory: support.appending(path: "ActiveConfig"))
/// ```
public final class FileDefaultsStore: ActiveConfigStore {
    /// The folder, made with the first configuration that is kept.
    public let directory: URL

    let bootstrap: BootstrapConfiguration?
    let log: ActiveConfigLog
    private let folder: DurableFolder

    private static let firstDownloadFile = "first-download-finished"

    /// Makes a store.
    ///
    /// The folder is not touched yet.
    ///
    /// - Parameters:
    ///   - directory: The folder, a file URL, for this store alone.
    ///   - bootstrap: The configuration to fall back to at last.
    public convenience init(directory: URL, bootstrap: BootstrapConfiguration? = nil) {
        self.init(directory: directory, bootstrap: bootstrap, log: .standardError)
    }

    /// Makes a store with a log of one's own.
    ///
    /// - Parameters:
    ///   - directory: The folder, a file URL, for this store alone.
    ///   - bootstrap: The configuration to fall back to at last.
    ///   - log: Where damaged files are named.
    public init(directory: URL, bootstrap: BootstrapConfiguration?, log: ActiveConfigLog) {
        self.directory = directory
        self.bootstrap = bootstrap
        self.log = log
        folder = DurableFolder(directory)
    }

    /// The user's own configuration: the last one, else the one before it; nil when neither is there
    /// and sound.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let files = UserFiles(UserID(userID))
        return read(files.current, files.userID) ?? read(files.previous, files.userID)
    }

    /// Keeps a user's configuration, durably when this returns; nil removes what is kept.
    ///
    /// - Throws: ``StoreError``. What was kept before is then still there.
    public func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        let files = UserFiles(UserID(userID))
        guard let configuration else { return try remove(files) }
        let record = StoredRecord.encode(configuration, of: files.userID)
        try folder.create()
        try folder.withLock { () throws(StoreError) in
            let isSound = isSound(files.current)
            // What is good is the current one, so the one before it is free to be written over.
            if isSound { try? folder.rename(files.previous, to: files.temporary) }
            try folder.writeTemporary(record, as: files.temporary)
            if isSound { try folder.link(files.current, as: files.previous) }
            try folder.rename(files.temporary, to: files.current)
            try folder.synchronize()
        }
    }

    /// Whether a first download was recorded in this folder.
    public var firstDownloadFinished: Bool { folder.contains(Self.firstDownloadFile) }

    /// Keeps that a first download has succeeded; true for the first call of all processes.
    ///
    /// - Throws: ``StoreError``.
    @discardableResult
    public func recordFirstDownloadFinished() throws -> Bool {
        try folder.create()
        return try folder.withLock { () throws(StoreError) in
            if folder.contains(Self.firstDownloadFile) { return false }
            try folder.writeTemporary(Data(), as: Self.firstDownloadFile)
            try folder.synchronize()
            return true
        }
    }

    /// The names of a user's files.
    private struct UserFiles {
        let userID: UserID
        /// The last configuration.
        let current: String
        /// The good one before it.
        var previous: String { "\(current).previous" }
        /// One that is being written.
        var temporary: String { "\(current).new" }

        init(_ userID: UserID) {
            self.userID = userID
            let name = userID.string.map { "user-\(SHA256.hexDigest(of: $0.utf8))" } ?? "generic"
            current = "\(name).activeconfig"
        }
    }

    /// The name of a damaged file that was put aside.
    private static func damaged(_ name: String) -> String { "\(name).damaged" }

    /// The configuration in a file; nil, and a line in the log, when it cannot be used.
    private func read(_ name: String, _ userID: UserID) -> ConfigurationState? {
        do {
            guard let data = try folder.read(name) else { return nil }
            return try StoredRecord.decode(data, of: userID)
        } catch let damage as StoredRecord.Damage {
            return putAside(name, userID, damage)
        } catch {
            log(
                .warning,
                "The file \(folder.path(of: name)) cannot be used and is left out: \(error)")
        }
        return nil
    }

    /// Renames a damaged file, unless it is sound now that nobody writes: then it was written over
    /// while it was read, or replaced, and its configuration is given.
    private func putAside(
        _ name: String, _ userID: UserID, _ damage: StoredRecord.Damage
    ) -> ConfigurationState? {
        let path = folder.path(of: name)
        do {
            let sound = try folder.withLock { () throws(StoreError) -> ConfigurationState? in
                if let data = try? folder.read(name),
                    let sound = try? StoredRecord.decode(data, of: userID)
                {
                    return sound
                }
                try folder.rename(name, to: Self.damaged(name))
                try folder.synchronize()
                return nil
            }
            if sound == nil {
                log(
                    .warning,
                    "The file \(path) is damaged and was put aside as \(Self.damaged(name)): "
                        + "\(damage.description).")
            }
            return sound
        } catch {
            log(
                .warning,
                "The file \(path) is damaged (\(damage.description)) and could not be put aside: "
                    + "\(error)")
            return nil
        }
    }

    /// Whether a file is there and has its checksum.
    private func isSound(_ name: String) -> Bool {
        guard let data = try? folder.read(name) else { return false }
        return (try? StoredRecord.check(data)) != nil
    }

    /// Removes all files of a user.
    private func remove(_ files: UserFiles) throws(StoreError) {
        guard folder.contains(".") else { return }
        try folder.withLock { () throws(StoreError) in
            for name in [files.current, files.previous, files.temporary] {
                try folder.remove(name)
                try folder.remove(Self.damaged(name))
            }
            try folder.synchronize()
        }
    }
}

extension FileDefaultsStore: BootstrappedStore {}
