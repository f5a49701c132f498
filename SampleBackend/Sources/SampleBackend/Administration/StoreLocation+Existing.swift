import EtcdTemplateStore
import Foundation
import SQLiteTemplateStore
import TemplateStore

extension StoreLocation {
    /// True for a backup, which a server or a command that changes it turns into a store in use.
    var isBackup: Bool {
        if case .sqlite(let path) = self { SQLiteTemplateStore.isBackup(at: path) } else { false }
    }

    /// Opens an existing store; the caller closes it.
    ///
    /// - Parameter isForReading: True leaves a database and its folder unchanged.
    /// - Returns: The store.
    /// - Throws: A ``CommandFailure``, for example if there is no store.
    func openExisting(isForReading: Bool = false) async throws -> any ArchivingStore {
        do {
            switch self {
            case .sqlite(let path):
                guard FileManager.default.fileExists(atPath: path) else {
                    throw CommandFailure(
                        "There is no database \(path): check the path, or create one with "
                            + "\"sample-backend serve --store sqlite:\(path)\".",
                        code: Exit.unavailable)
                }
                return isForReading
                    ? try await SQLiteTemplateStore.reading(path: path)
                    : try await SQLiteTemplateStore(path: path)
            case .etcd(let location):
                return try await EtcdTemplateStore(location, creating: false)
            case .memory:
                throw CommandFailure(
                    "The store memory is empty: give sqlite:PATH or etcd:URL,….",
                    code: Exit.usage)
            }
        } catch let error as TemplateStoreError {
            throw CommandFailure(error)
        }
    }
}
