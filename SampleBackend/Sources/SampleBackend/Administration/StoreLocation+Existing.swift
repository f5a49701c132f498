import EtcdTemplateStore
import Foundation
import SQLiteTemplateStore
import TemplateStore

extension StoreLocation {
    /// Opens a store that exists; the caller closes it.
    ///
    /// - Throws: A ``CommandFailure``, such as when there is none.
    func openExisting() async throws -> any ArchivingStore {
        do {
            switch self {
            case .sqlite(let path):
                guard FileManager.default.fileExists(atPath: path) else {
                    throw CommandFailure(
                        "There is no database \(path): check the path, or make one with "
                            + "\"sample-backend serve --store sqlite:\(path)\".",
                        code: Exit.unavailable)
                }
                return try await SQLiteTemplateStore(path: path)
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
