import ArgumentParser
import JSONTree
import TemplateStore

/// `sample-backend raise-versions` continues the version numbers above those that apps may have.
struct RaiseVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raise-versions",
        abstract: "Continue the version numbers above those that apps have, after a restore.",
        discussion: """
            Apps ignore versions below the one that they have. "restore", "copy" and the first \
            change of a backup that is served raise the numbers by themselves. Use this command \
            after a restore that the program cannot detect: by "etcdctl snapshot restore", or of a \
            database file that was copied back. The next version of each project is above all \
            versions of the store by at least 1,000, for example 2001 after 3. Servers may be \
            running.
            """)

    @Option(
        help: ArgumentHelp("The store: sqlite:PATH or etcd:URL,URL,…", valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var store = StoreLocation.default

    @Option(
        help: ArgumentHelp(
            "A version that apps have, when it can be higher than those of the store by 1,000 or "
                + "more.", valueName: "version"))
    var above = 0

    @Flag(help: "Print one JSON document, for scripts.")
    var json = false

    func validate() throws {
        guard (0...Self.maximum).contains(above) else {
            throw ValidationError("--above is not a version: give a number up to \(Self.maximum).")
        }
    }

    /// Stores have version numbers below 1,000,000,000.
    private static let maximum = 900_000_000

    func run() async throws {
        try await CommandFailure.reported(asJSON: json) {
            let opened = try await store.openExisting()
            let next: Int
            do throws(TemplateStoreError) {
                next = try await opened.raiseVersions(
                    VersionRaise(above: above, actor: "command line", reason: "raise-versions"))
                await opened.close()
            } catch {
                await opened.close()
                throw CommandFailure(error)
            }
            if json {
                Output.print(["store": .string("\(store)"), "nextVersion": .string("\(next)")])
            } else {
                Terminal.print("The next version of each project in \(store) is \(next).")
            }
        }
    }
}
