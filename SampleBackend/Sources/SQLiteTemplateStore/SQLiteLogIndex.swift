import GRDB
import GRDBSQLite

/// The index of the write-ahead log, which all processes that have the database open share.
///
/// Its layout is documented in "WAL-mode File Format" of SQLite, chapter 2.
struct SQLiteLogIndex: Equatable {
    /// How far the log is written into the database.
    struct Checkpoint: Hashable {
        /// Changes each time the log restarts.
        let salt: [UInt8]
        /// Frames that are certainly written into the database.
        let finishedFrames: UInt32
        /// Frames that may be; raised before the database is written.
        let begunFrames: UInt32

        /// Whether a checkpoint is running, or was interrupted.
        var isUnderway: Bool { finishedFrames < begunFrames }
    }

    /// The bytes of one of the two copies of the header.
    private static let headerSize = 48
    /// The bytes of both copies and of what follows about checkpoints.
    private static let size = 136
    /// The bytes of the part of the index that SQLite maps at once.
    private static let regionSize: Int32 = 32_768
    /// The bytes of a log before its first frame.
    private static let logHeaderSize: Int64 = 32
    /// The bytes of a frame before its page.
    private static let frameHeaderSize: Int64 = 24

    /// The valid frames of the log.
    let frameCount: UInt32
    /// The bytes of a page.
    private let pageSize: Int64
    /// How far the log is written into the database.
    let checkpoint: Checkpoint

    /// The least bytes that the log has.
    var logSize: Int64 {
        frameCount == 0
            ? 0
            : Self.logHeaderSize + Int64(frameCount) * (Self.frameHeaderSize + pageSize)
    }

    /// Whether these are the first bytes of the log.
    func isHead(_ bytes: [UInt8]) -> Bool {
        frameCount == 0 || bytes.dropFirst(16).prefix(8).elementsEqual(checkpoint.salt)
    }

    /// Reads the index through a connection.
    ///
    /// - Returns: nil while another process writes it.
    init?(_ db: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard
            unsafe sqlite3_file_control(
                db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file = unsafe file, let methods = unsafe file.pointee.pMethods,
            unsafe methods.pointee.iVersion >= 2, let map = unsafe methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // SQLite has it mapped already, and keeps it as long as the connection is open.
        guard unsafe map(file, 0, Self.regionSize, 0, &region) == SQLITE_OK,
            let region = unsafe region
        else { return nil }
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: region, count: Self.size))
        self.init(bytes)
    }

    /// Reads the first bytes of the index.
    private init?(_ bytes: [UInt8]) {
        // The second copy is written before the first one.
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
        // 65,536 does not fit, and is written as 1.
        pageSize = size == 1 ? 65_536 : size
        checkpoint = Checkpoint(
            salt: Array(bytes[32..<40]), finishedFrames: word(96), begunFrames: word(128))
    }
}
