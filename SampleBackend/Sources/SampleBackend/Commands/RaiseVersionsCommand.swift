import ArgumentParser
import JSONTree
import TemplateStore

/// `sample-backend raise-versions` continues the version numbers above those that apps may have.
struct RaiseVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raise-versions",
        abstract: "Continue the version numbers above those that apps have, after a restore.",
        discussion: """
            Apps take a version at once when it is higher than theirs. "restore", "copy" and a \
            server that opens a backup raise the numbers by themselves. Use this command after a \
            restore that the program cannot detect: by "etcdctl snapshot restore", or of a database \
            file that was copied back. The next version of each project is the number of seconds \
            since 2020, or a higher one: the one after the newest, or, when the clock is wrong, one \
            million above it. Servers may be running: clients of their streams fetch their \
            documents again.
            """)

    @Option(
        help: ArgumentHelp(
            "The store: sqlite:PATH or etcd:URL,URL,… (default: \(StoreLocation.default))",
            valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var store = StoreLocation.default

    @Option(
        help: ArgumentHelp(
            "A version that apps have, when the clock was ahead or this option was used before.",
            valueName: "version"))
    var above = 0

    @Flag(help: "Print one JSON document, for scripts.")
    var json = false

    func validate() throws {
        let maximum = VersionFloor.maximumRequest
        guard (0...maximum).contains(above) else {
            throw ValidationError("--above is not a version: give a number up to \(maximum).")
        }
    }

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
