import ArgumentParser
import Foundation
import SQLiteTemplateStore
import TemplateStore

/// `sample-backend backup` copies a database, even while a server uses it.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a database, also while a server uses it.")

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @Option(
        help: ArgumentHelp("The database: sqlite:PATH.", valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var store = StoreLocation.default

    func run() async throws {
        try await CommandFailure.reported(asJSON: false) {
            guard case .sqlite(let path) = store else {
                throw CommandFailure(
                    "Only an SQLite database can be copied: give --store sqlite:PATH.",
                    code: Exit.failure)
            }
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure(
                    "There is no database \(path): check --store.", code: Exit.unavailable)
            }
            guard !FileManager.default.fileExists(atPath: file) else {
                throw CommandFailure(
                    "The file \(file) exists: choose another one, or move it away.",
                    code: Exit.failure)
            }
            do {
                let database = try await SQLiteTemplateStore(path: path)
                do {
                    try await database.backup(to: file)
                } catch {
                    await database.close()
                    throw error
                }
                await database.close()
            } catch {
                throw CommandFailure("\(error)", code: Exit.unavailable)
            }
            Terminal.print("Copied \(path) to \(file).")
        }
    }
}
