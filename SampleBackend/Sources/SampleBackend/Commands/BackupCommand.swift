import ArgumentParser
import Foundation
import JSONTree
import SQLiteTemplateStore
import TemplateStore

/// `sample-backend backup` copies a store to a file while servers use it.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a store, which servers may be using, to a new SQLite database.",
        discussion: """
            Serve the file with --store sqlite:FILE, or copy it into any empty store with \
            "sample-backend restore". Until the backup is complete, the file's name ends with \
            ".partial-" and eight letters or digits; an interrupted backup leaves such a file.
            """)

    @Argument(help: "The file to write; it must not exist yet.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The store: sqlite:PATH or etcd:URL,URL,… (default: \(StoreLocation.default))",
            valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var store = StoreLocation.default

    @Flag(help: "Print one JSON document, for scripts.")
    var json = false

    func run() async throws {
        try await CommandFailure.reported(asJSON: json) {
            let backup = try BackupFile(path: file)
            switch store {
            case .sqlite(let path): try await copyFile(path, to: backup)
            case .etcd, .memory:
                try await StoreCopying(
                    source: store, target: .sqlite(path: backup.partialPath), json: json,
                    backup: backup
                ).run()
            }
        }
    }

    /// Copies the pages of the database, which is faster than copying its records.
    private func copyFile(_ path: String, to backup: BackupFile) async throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "There is no database \(path): check --store.", code: Exit.unavailable)
        }
        let database: SQLiteTemplateStore
        do throws(TemplateStoreError) {
            database =
                SQLiteTemplateStore.isBackup(at: path)
                ? try await SQLiteTemplateStore.reading(path: path)
                : try await SQLiteTemplateStore(path: path)
        } catch {
            throw CommandFailure(error)
        }
        do throws(TemplateStoreError) {
            try await database.backup(to: backup.partialPath)
        } catch {
            await database.close()
            backup.removePartialFiles()
            throw backup.failure(error)
        }
        await database.close()
        try backup.complete()
        if json {
            Output.print(["from": .string("sqlite:\(path)"), "to": .string("sqlite:\(file)")])
        } else {
            Terminal.print("Copied \(path) to \(file).")
        }
    }
}
