import ArgumentParser

/// `sample-backend restore` copies a backup into an empty store.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Copy a backup into an empty store, of any engine.",
        discussion: """
            The backup is a file that "sample-backend backup" has written. It is compared with the store \
            afterwards, as by "sample-backend copy".
            """)

    @Argument(help: "The backup.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The empty store to fill: sqlite:PATH or etcd:URL,URL,…", valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var to: StoreLocation

    @Flag(help: "Answer with one JSON document, for programs.")
    var json = false

    func run() async throws {
        try await CommandFailure.reported(asJSON: json) {
            try await StoreCopying(source: .sqlite(path: file), target: to, json: json).run()
        }
    }
}
