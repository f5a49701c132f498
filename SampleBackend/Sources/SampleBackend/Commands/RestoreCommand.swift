import ArgumentParser

/// `sample-backend restore` copies a backup into an empty store.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Copy a backup into an empty store, of any engine.",
        discussion: """
            The backup is a file written by "sample-backend backup". The command compares it with \
            the store afterwards, as "sample-backend copy" does.
            """)

    @Argument(help: "The backup.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The empty store to fill: sqlite:PATH or etcd:URL,URL,…", valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var to: StoreLocation

    @Flag(help: "Print one JSON document, for scripts.")
    var json = false

    func run() async throws {
        try await CommandFailure.reported(asJSON: json) {
            try await StoreCopying(source: .sqlite(path: file), target: to, json: json).run()
        }
    }
}
