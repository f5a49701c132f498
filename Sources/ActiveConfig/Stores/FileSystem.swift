/// The system calls of ``FileDefaultsStore``, in place of which a test puts its own: each can fail,
/// be the last one, or be lost with the power.
package protocol FileSystem: Sendable {
    /// Opens a file or a folder.
    func openFile(at path: String, for purpose: FilePurpose) throws(SystemCallError) -> Int32
    /// Closes it.
    func closeFile(_ file: Int32)
    /// Its size in bytes.
    func size(ofFile file: Int32) throws(SystemCallError) -> Int
    /// Reads into `bytes`, from where the last read ended.
    ///
    /// - Returns: How many bytes were read; 0 at the end.
    func readFile(
        _ file: Int32, into bytes: UnsafeMutableRawBufferPointer
    ) throws(SystemCallError) -> Int
    /// Writes some of `bytes`, behind what was written before.
    ///
    /// - Returns: How many bytes were written, at least one.
    func writeFile(
        _ file: Int32, _ bytes: UnsafeRawBufferPointer
    ) throws(SystemCallError) -> Int
    /// Brings a file's content, or a folder's list of names, to the medium.
    func synchronizeFile(_ file: Int32) throws(SystemCallError)
    /// Takes the only lock on a file: at once, or not at all, unless it may wait.
    func lockFile(_ file: Int32, mayWait: Bool) throws(SystemCallError)
    /// Gives the lock back.
    func unlockFile(_ file: Int32)
    /// Gives a file another name, in place of any file that has it.
    func renameFile(at path: String, to newPath: String) throws(SystemCallError)
    /// Gives a file a second name, which must be free.
    func linkFile(at path: String, as secondPath: String) throws(SystemCallError)
    /// Removes a name of a file.
    func unlinkFile(at path: String) throws(SystemCallError)
    /// Makes a folder for its owner alone.
    func makeFolder(at path: String) throws(SystemCallError)
    /// Whether something has a name. This needs no right to read it.
    func fileExists(at path: String) throws(SystemCallError) -> Bool
    /// Sets a file's class of protection.
    func setProtection(
        _ protection: FileDefaultsStore.FileProtection, ofFileAt path: String
    ) throws(SystemCallError)
    /// Leaves a folder out of backups.
    func excludeFromBackup(folderAt path: String) throws(SystemCallError)
}

/// What a file is opened for.
package enum FilePurpose: Sendable {
    /// Reading what is there, without ever waiting for it.
    case reading
    /// Writing a file that is not there yet, for its owner alone.
    case creating
    /// Locking a file that is there.
    case locking
    /// Synchronizing a folder.
    case synchronizing
}

/// The number, as in `errno`, of a system call that failed.
package struct SystemCallError: Error, Hashable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }
}
