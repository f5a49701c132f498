import GRDB
import GRDBSQLite

/// The index of the write-ahead log, shared by all processes with the database open.
///
/// SQLite documents its layout in "WAL-mode File Format", chapter 2.
struct SQLiteLogIndex: Equatable {
    /// Progress of writing the log into the database.
    struct Checkpoint: Hashable {
        /// Changes each time the log restarts.
        let salt: [UInt8]
        /// Number of frames that have definitely been written into the database.
        let finishedFrames: UInt32
        /// Number of frames that may have been written; raised before the database is written.
        let begunFrames: UInt32

        /// True when a checkpoint is in progress, or was interrupted.
        var isUnderway: Bool { finishedFrames < begunFrames }
    }

    /// Size of one of the two copies of the header, in bytes.
    private static let headerSize = 48
    /// Size of both copies and the checkpoint information after them, in bytes.
    private static let size = 136
    /// Size of the region of the index that SQLite maps at a time, in bytes.
    private static let regionSize: Int32 = 32_768
    /// Bytes of a log before its first frame.
    private static let logHeaderSize: Int64 = 32
    /// Bytes of a frame before its page.
    private static let frameHeaderSize: Int64 = 24

    /// Number of valid frames in the log.
    let frameCount: UInt32
    /// In bytes.
    private let pageSize: Int64
    /// Progress of writing the log into the database.
    let checkpoint: Checkpoint

    /// Minimum size of the log, in bytes.
    var logSize: Int64 {
        frameCount == 0
            ? 0
            : Self.logHeaderSize + Int64(frameCount) * (Self.frameHeaderSize + pageSize)
    }

    /// True when the bytes can be the start of the log.
    func isHead(_ bytes: [UInt8]) -> Bool {
        frameCount == 0 || bytes.dropFirst(16).prefix(8).elementsEqual(checkpoint.salt)
    }

    /// Reads the index through a connection; nil while another process writes it.
    init?(_ db: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard
            unsafe sqlite3_file_control(
                db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file = unsafe file, let methods = unsafe file.pointee.pMethods,
            unsafe methods.pointee.iVersion >= 2, let map = unsafe methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // SQLite has already mapped the region, and keeps it mapped while the connection is open.
        guard unsafe map(file, 0, Self.regionSize, 0, &region) == SQLITE_OK,
            let region = unsafe region
        else { return nil }
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: region, count: Self.size))
        self.init(bytes)
    }

    /// Parses the first bytes of the index.
    private init?(_ bytes: [UInt8]) {
        // SQLite writes the second copy before the first one.
        guard
            bytes[..<Self.headerSize].elementsEqual(bytes[Self.headerSize..<(2 * Self.headerSize)])
        else { return nil }
        func word(_ place: Int) -> UInt32 {
            unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)
            }
        }
        frameCount = word(16)
        let size = Int64(
            unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: 14, as: UInt16.self)
            })
        // 65,536 does not fit into 16 bits, and is written as 1.
        pageSize = size == 1 ? 65_536 : size
        checkpoint = Checkpoint(
            salt: Array(bytes[32..<40]), finishedFrames: word(96), begunFrames: word(128))
    }
}
