import ArgumentParser
import EtcdTemplateStore
import InMemoryTemplateStore
import SQLiteTemplateStore
import TemplateStore

/// The value of `--store`: the location of the store (API 5).
enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
    case sqlite(path: String)

    case etcd(EtcdLocation)

    /// In the memory of this process only.
    case memory

    /// The location when `--store` is not given.
    static let `default` = StoreLocation.sqlite(path: "activeconfig.sqlite")

    /// Parses `sqlite:PATH`, `etcd:URL,URL,…` or `memory`.
    ///
    /// - Throws: A `ValidationError` with the reason.
    init(parsing argument: String) throws {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts.first, parts.dropFirst().first) {
        case ("memory", nil): self = .memory
        case ("sqlite", let path?) where !path.isEmpty: self = .sqlite(path: String(path))
        case ("etcd", let members?):
            do {
                self = .etcd(try EtcdLocation(parsing: String(members)))
            } catch {
                // Omits the argument, which can contain a password.
                throw ValidationError("The store in etcd cannot be used: \(error).")
            }
        default:
            throw ValidationError(
                "\"\(argument)\" is not a store: give sqlite:PATH, etcd:URL,URL,… or memory.")
        }
    }

    var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .etcd(let location): location.description
        case .memory: "memory"
        }
    }

    /// Opens the store, and creates it if there is none; the caller closes it.
    ///
    /// - Parameter isAwaited: False does not wait for a cluster that does not respond; each call
    ///   then connects.
    /// - Returns: The store.
    /// - Throws: `TemplateStoreError` when it cannot be opened.
    func open(isAwaited: Bool = true) async throws(TemplateStoreError) -> any ArchivingStore {
        switch self {
        case .sqlite(let path): try await SQLiteTemplateStore(path: path)
        case .etcd(let location) where !isAwaited: try EtcdTemplateStore(unopened: location)
        case .etcd(let location): try await EtcdTemplateStore(location)
        case .memory: InMemoryTemplateStore()
        }
    }

    /// Faults such as overly permissive file permissions, one sentence each.
    var warnings: [String] {
        switch self {
        case .sqlite(let path): SQLiteTemplateStore.warnings(at: path)
        case .etcd, .memory: []
        }
    }
}
