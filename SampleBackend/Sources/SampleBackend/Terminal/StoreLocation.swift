import ArgumentParser
import InMemoryTemplateStore
import SQLiteTemplateStore
import TemplateStore

/// A type that says where templates are kept: the value of `--store` (HTTP 5).
enum StoreLocation: Sendable, Hashable, ExpressibleByArgument {
    /// In one file.
    case sqlite(path: String)

    /// In the memory of this process; all is gone with it.
    case memory

    /// Where templates are kept unless said otherwise.
    static let `default` = StoreLocation.sqlite(path: "activeconfig.sqlite")

    /// Reads `sqlite:PATH` or `memory`.
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts.first, parts.dropFirst().first) {
        case ("memory", nil): self = .memory
        case ("sqlite", let path?) where !path.isEmpty: self = .sqlite(path: String(path))
        default: return nil
        }
    }

    /// The value as it is written.
    var defaultValueDescription: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .memory: "memory"
        }
    }

    /// Opens the store; who opens it closes it.
    ///
    /// - Throws: `TemplateStoreError` when it cannot be opened.
    func open() async throws(TemplateStoreError) -> any TemplateStore {
        switch self {
        case .sqlite(let path): try await SQLiteTemplateStore(path: path)
        case .memory: InMemoryTemplateStore()
        }
    }

    /// What should be otherwise about the files of the store, a sentence each.
    var warnings: [String] {
        switch self {
        case .sqlite(let path): SQLiteTemplateStore.warnings(at: path)
        case .memory: []
        }
    }
}
