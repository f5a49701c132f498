public import Foundation

/// Stores configurations in a folder: one file per user, written durably, with a checksum, readable
/// by the owner only.
///
/// A configuration is written to a new file, synchronized, and renamed into place. The last
/// persisted one survives the end of the process; a power loss within the next seconds can restore
/// the one before it, but never a partial or a removed one. Each file has a checksum and its user's
/// ID, and the last valid version before it is kept. A file that is damaged, or belongs to another
/// user, is renamed with the suffix `.damaged` and logged, and the next fallback is used: the
/// previous version, the generic user, the bootstrap configuration. A file that is not readable
/// yet, or was written by a later version of the framework, stays until the user's next
/// configuration is stored; one of a later version is then renamed with the suffix `.newer`,
/// replacing any earlier one, and removed with the user. Reading never throws, and never waits for
/// a writer. A file has at most 256 MiB: a larger configuration is not stored
/// (``StoreError/Code/cannotWrite``).
///
/// Several processes can share the folder, such as an app and its extension. Files are named after
/// a digest of the user ID, so any string is a distinct user.
///
/// ```swift
/// let store = try FileDefaultsStore(bootstrap: .resource("InitialActiveConfig"))
/// ```
public final class FileDefaultsStore: ActiveConfigStore {
    /// The folder, created when the first configuration is stored.
    public let directory: URL

    /// The generic user, then the bootstrap.
    public let fallback: StoreFallback
    let folder: DurableFolder

    private static let firstDownloadFile = "first-download-finished"

    /// Creates a store.
    ///
    /// Does not touch the folder yet.
    ///
    /// - Parameters:
    ///   - directory: The folder, a file URL, for this store alone; see
    ///     ``defaultDirectory()``.
    ///   - bootstrap: The last fallback.
    ///   - log: Receives messages about files that are damaged or cannot be read; nil is the log
    ///     of the ``ActiveConfig`` that uses the store.
    ///   - protection: The condition under which files written from now on can be read, on Apple's
    ///     mobile platforms.
    ///   - isExcludedFromBackup: True to exclude the folder from backups, on Apple's platforms,
    ///     when the next configuration is stored. If false, the folder stays as it is.
    public convenience init(
        directory: URL, bootstrap: BootstrapConfiguration? = nil,
        log: ActiveConfigLog? = nil,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = false
    ) {
        self.init(
            directory: directory, bootstrap: bootstrap, log: log, protection: protection,
            isExcludedFromBackup: isExcludedFromBackup, system: LocalFileSystem())
    }

    /// Creates a store in the app's default folder.
    ///
    /// The folder is not touched yet.
    ///
    /// - Parameters:
    ///   - bootstrap: The last fallback.
    ///   - log: Receives messages about files that are damaged or cannot be read; by default the log
    ///     of the ``ActiveConfig`` that uses the store.
    ///   - protection: The condition under which files written from now on can be read, on Apple's
    ///     mobile platforms.
    ///   - isExcludedFromBackup: True to exclude the folder from backups, on Apple's platforms,
    ///     when the next configuration is stored. If false, the folder stays as it is.
    /// - Throws: As ``defaultDirectory()``.
    public convenience init(
        bootstrap: BootstrapConfiguration? = nil, log: ActiveConfigLog? = nil,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = false
    ) throws {
        self.init(
            directory: try Self.defaultDirectory(), bootstrap: bootstrap, log: log,
            protection: protection, isExcludedFromBackup: isExcludedFromBackup)
    }

    package init(
        directory: URL, bootstrap: BootstrapConfiguration? = nil,
        log: ActiveConfigLog? = nil,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = false, system: any FileSystem
    ) {
        self.directory = directory
        fallback = .genericUser(then: bootstrap, log: log)
        folder = DurableFolder(
            directory, system: system, protection: protection,
            isExcludedFromBackup: isExcludedFromBackup)
    }

    var log: ActiveConfigLog { fallback.log }

    /// The user's own configuration, else the generic user's, else the bootstrap's.
    public func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        fallback.lastKnownConfiguration(in: self, forUserID: userID)
    }

    /// The user's own configuration: the last one, else the one before it; nil when neither is
    /// present and valid.
    ///
    /// Waits for no lock.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let files = UserFiles(UserID(userID))
        return configuration(in: files.current, files.userID)
            ?? configuration(in: files.previous, files.userID)
    }

    /// The entity tag of the user's last configuration; reads only the first 4 KiB of the file.
    public func ownEntityTag(forUserID userID: String?) -> String? {
        let files = UserFiles(UserID(userID))
        guard let head = try? folder.read(files.current, upTo: 4096) else { return nil }
        return StoredRecord.entityTag(inHead: head, of: files.userID)
    }

    /// Stores a user's configuration; nil removes the stored one.
    ///
    /// When this returns, the configuration survives the end of the process. A power loss within
    /// the next seconds can undo it, as the folder is synchronized for removals only; a removal
    /// survives that too. It waits for other writers of the folder, and for the medium.
    ///
    /// - Throws: ``StoreError``; ``ConfigurationFormatError`` when the configuration is nested
    ///   deeper than ``ConfigurationLimits/depthLimit``. The configuration stored before
    ///   is then still there, unless the medium fails at the very end of a removal: then it is
    ///   gone, but may be back after a loss of power.
    public func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        guard let configuration else { return try remove(UserFiles(UserID(userID))) }
        _ = try persistConfiguration(configuration, forUserID: userID) { _ in false }
    }

    /// Stores a user's configuration unless a later one is stored, under a lock that excludes other
    /// processes.
    ///
    /// - Throws: As ``persistConfiguration(_:forUserID:)``.
    public func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) throws -> Bool {
        let files = UserFiles(UserID(userID))
        let record = try StoredRecord.encode(configuration, of: files.userID)
        var isStored = true
        try change(files) { old in
            isStored = old.flatMap(StoredRecord.templateVersion).map(isLater) != true
            return isStored ? record : old
        }
        return isStored
    }

    /// The content of a record's file, or of the previous one if that is damaged; waits for no
    /// lock.
    public func record(_ record: StoreRecord) throws -> Data? {
        switch record.kind {
        case .pendingConfiguration(let userID):
            let files = UserFiles(userID).pending
            return read(files.current, userID)?.data ?? read(files.previous, userID)?.data
        case .clientState: return try folder.read("\(record.key).json")
        }
    }

    /// Replaces a record's file.
    ///
    /// - Throws: ``StoreError``.
    public func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        switch record.kind {
        case .pendingConfiguration(let userID): try self.change(UserFiles(userID).pending, change)
        case .clientState: try update("\(record.key).json", change)
        }
    }

    /// A Boolean value that indicates whether a first download was recorded in this folder.
    ///
    /// Waits for no lock, and needs no permission to read the file.
    public var firstDownloadFinished: Bool {
        do {
            return try folder.contains(Self.firstDownloadFile)
        } catch {
            // A folder without permission existed before; a new one would be readable.
            log(.warning, "Assuming that a first download finished, as checking failed: \(error)")
            return true
        }
    }

    /// Records that a first download has succeeded; durable when this returns.
    ///
    /// - Returns: True for exactly one call over all instances in all processes.
    /// - Throws: ``StoreError``. It is then not recorded, and the next call tries again.
    @discardableResult
    public func recordFirstDownloadFinished() throws -> Bool {
        try folder.withLock { () throws(StoreError) in
            guard try folder.make(Self.firstDownloadFile) else { return false }
            do throws(StoreError) {
                try folder.synchronize()
            } catch {
                try? folder.remove(Self.firstDownloadFile)
                throw error
            }
            return true
        }
    }

    /// The default folder of an app's store: `ActiveConfig` in the app's folder of Application
    /// Support; on tvOS of Caches, which the system can empty, since Application Support is not
    /// writable there.
    ///
    /// Does not create the folder.
    ///
    /// - Throws: when there is no such folder.
    public static func defaultDirectory() throws -> URL {
        #if os(tvOS)
            let base = FileManager.SearchPathDirectory.cachesDirectory
        #else
            let base = FileManager.SearchPathDirectory.applicationSupportDirectory
        #endif
        // Without a sandbox the base is shared by all apps.
        let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return try FileManager.default
            .url(for: base, in: .userDomainMask, appropriateFor: nil, create: false)
            .appending(path: "\(app)/ActiveConfig", directoryHint: .isDirectory)
    }
}

extension FileDefaultsStore {
    /// When the files of a store can be read on Apple's mobile platforms: their data protection.
    ///
    /// Other platforms, including macOS, protect volumes, not files, and treat all values the same.
    ///
    /// A store whose files are not readable yet falls back as if they were absent, without renaming
    /// them: they are read again after the device is unlocked.
    public struct FileProtection: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case none, complete, completeUnlessOpen, completeUntilFirstUserAuthentication
        }

        private let kind: Kind

        /// Always, even before the first unlock after a restart: for an app that the system
        /// launches in the background then, for example for a push notification or a location.
        public static let none = FileProtection(kind: .none)
        /// While the device is unlocked; while it is locked, nothing can be stored either.
        public static let complete = FileProtection(kind: .complete)
        /// While the device is unlocked; while it is locked, configurations can be stored.
        public static let completeUnlessOpen = FileProtection(kind: .completeUnlessOpen)
        /// After the first unlock since the device started.
        public static let completeUntilFirstUserAuthentication = FileProtection(
            kind: .completeUntilFirstUserAuthentication)

        /// The name, such as `complete`.
        public var description: String { kind.rawValue }

        #if canImport(Darwin) && !os(macOS)
            var fileProtectionType: FileProtectionType {
                switch kind {
                case .none: .none
                case .complete: .complete
                case .completeUnlessOpen: .completeUnlessOpen
                case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
                }
            }
        #endif
    }
}
