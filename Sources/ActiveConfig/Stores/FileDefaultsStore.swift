public import Foundation

/// A store in a folder: a file per user, durable, checked, private.
///
/// A configuration is written to a new file, synchronized, and renamed into place, so that a crash or
/// a loss of power leaves the old one or the new one. Each file carries a checksum and its user's ID,
/// and the good version before it is kept. A file that is damaged, or another user's, is put aside
/// with the ending `.damaged`, named in the log, and the next in line is used: the previous version,
/// the generic user, the bootstrap configuration. A file that cannot be read yet stays where it is.
/// Reading never throws, and never waits for somebody who writes.
///
/// Several processes may share the folder, as an app and its extension do. Files are named after a
/// digest of the user ID, so that any string is a user of its own.
///
/// ```swift
/// let store = FileDefaultsStore(directory: try FileDefaultsStore.defaultDirectory())
/// ```
public final class FileDefaultsStore: ActiveConfigStore {
    /// The folder, made with the first configuration that is kept.
    public let directory: URL

    let bootstrap: BootstrapConfiguration?
    let log: ActiveConfigLog
    let folder: DurableFolder

    private static let firstDownloadFile = "first-download-finished"

    /// Creates a store.
    ///
    /// The folder is not touched yet.
    ///
    /// - Parameters:
    ///   - directory: The folder, a file URL, for this store alone; see
    ///     ``defaultDirectory()``.
    ///   - bootstrap: The configuration to fall back to at last.
    ///   - log: Where files are named that are damaged or cannot be read.
    ///   - protection: When files that are written from now on can be read, on Apple's mobile
    ///     platforms.
    ///   - isExcludedFromBackup: Whether the folder is left out of backups, on Apple's platforms, from
    ///     the next configuration on that is kept. If not, the folder stays as it is.
    public convenience init(
        directory: URL, bootstrap: BootstrapConfiguration? = nil,
        log: ActiveConfigLog = .standardError,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = false
    ) {
        self.init(
            directory: directory, bootstrap: bootstrap, log: log, protection: protection,
            isExcludedFromBackup: isExcludedFromBackup, system: LocalFileSystem())
    }

    package init(
        directory: URL, bootstrap: BootstrapConfiguration? = nil,
        log: ActiveConfigLog = .standardError,
        protection: FileProtection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = false, system: any FileSystem
    ) {
        self.directory = directory
        self.bootstrap = bootstrap
        self.log = log
        folder = DurableFolder(
            directory, system: system, protection: protection,
            isExcludedFromBackup: isExcludedFromBackup)
    }

    /// The user's own configuration: the last one, else the one before it; nil when neither is there
    /// and sound.
    ///
    /// It waits for no lock.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let files = UserFiles(UserID(userID))
        return read(files.current, files.userID) ?? read(files.previous, files.userID)
    }

    /// The entity tag of the user's last configuration, of whose file only the first 4 KiB are read.
    public func ownEntityTag(forUserID userID: String?) -> String? {
        let files = UserFiles(UserID(userID))
        guard let head = try? folder.read(files.current, upTo: 4096) else { return nil }
        return StoredRecord.entityTag(inHead: head, of: files.userID)
    }

    /// Keeps a user's configuration, durably when this returns; nil removes what is kept.
    ///
    /// It waits for others that persist in the folder, and for the medium.
    ///
    /// - Throws: ``StoreError``; ``ConfigurationFormatError`` when the configuration is nested deeper
    ///   than ``ConfigurationLimits/deepestMaximumDepth``. What was kept before is then still there,
    ///   unless the medium fails at the very end of a removal: then it is gone, and may be back after
    ///   a loss of power.
    public func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        let files = UserFiles(UserID(userID))
        if let configuration {
            try replace(files, by: StoredRecord.encode(configuration, of: files.userID))
        } else {
            try remove(files)
        }
    }

    /// Whether a first download was recorded in this folder.
    ///
    /// It waits for no lock, and needs no right to read a file.
    public var firstDownloadFinished: Bool {
        do {
            return try folder.contains(Self.firstDownloadFile)
        } catch {
            // A folder without permission existed before; a new one would be readable.
            log(.warning, "Whether a first download finished cannot be told, so it did: \(error)")
            return true
        }
    }

    /// Keeps that a first download has succeeded, durably when this returns.
    ///
    /// - Returns: Whether this call did it: it is true for one call only of all instances in all
    ///   processes.
    /// - Throws: ``StoreError``. Then it is not kept, and the next call tries again.
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

    /// A folder for the store of an app: `ActiveConfig` in the app's folder of Application Support; on
    /// tvOS, where that cannot be written, of Caches, which the system may empty.
    ///
    /// The folder is not made yet.
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

extension FileDefaultsStore: BootstrappedStore {}

extension FileDefaultsStore {
    /// When the files of a store can be read on Apple's mobile platforms: their data protection.
    ///
    /// Other platforms, macOS among them, protect volumes, not files, and make no difference between
    /// these.
    ///
    /// A store whose files cannot be read yet falls back as if they were not there, without putting
    /// them aside: they are read again as soon as the device is unlocked.
    public struct FileProtection: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case none, complete, completeUnlessOpen, completeUntilFirstUserAuthentication
        }

        private let kind: Kind

        /// Always, also before the device was unlocked for the first time since it started: for an app
        /// that is launched in the background then, as by a push notification or a location.
        public static let none = FileProtection(kind: .none)
        /// While the device is unlocked; while it is locked, nothing can be persisted either.
        public static let complete = FileProtection(kind: .complete)
        /// While the device is unlocked; while it is locked, configurations can be persisted.
        public static let completeUnlessOpen = FileProtection(kind: .completeUnlessOpen)
        /// Once the device was unlocked for the first time since it started.
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
