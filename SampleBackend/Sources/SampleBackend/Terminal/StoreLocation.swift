import ArgumentParser
import InMemoryTemplateStore
import SQLiteTemplateStore
import TemplateStore

/// The value of `--store`: the location of the store (HTTP 5).
enum StoreLocation: Sendable, Hashable, ExpressibleByArgument {
    case sqlite(path: String)

    /// In the memory of this process only.
    case memory

    /// The location when `--store` is not given.
    static let `default` = StoreLocation.sqlite(path: "activeconfig.sqlite")

    /// Parses `sqlite:PATH` or `memory`.
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts.first, parts.dropFirst().first) {
        case ("memory", nil): self = .memory
        case ("sqlite", let path?) where !path.isEmpty: self = .sqlite(path: String(path))
        default: return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .memory: "memory"
        }
    }

    /// Opens the store; the caller closes it.
    ///
    /// - Throws: `TemplateStoreError` when it cannot be opened.
    func open() async throws(TemplateStoreError) -> any TemplateStore {
        switch self {
        case .sqlite(let path): try await SQLiteTemplateStore(path: path)
        case .memory: InMemoryTemplateStore()
        }
    }

    /// Faults such as file permissions that are too open, a sentence each.
    var warnings: [String] {
        switch self {
        case .sqlite(let path): SQLiteTemplateStore.warnings(at: path)
        case .memory: []
        }
    }
}
