import ArgumentParser

/// `sample-backend copy` copies a store into an empty store of any engine.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a whole store into an empty one, of any engine.",
        discussion: """
            It copies one consistent snapshot: projects with all versions, details, pinned values, \
            drafts, tokens with their last uses, sessions, webhooks with their deliveries, and the \
            audit trail. Then it reads and compares both stores. Later changes of the source are \
            not in the copy, and servers on both stores can send the same webhook delivery: stop \
            the server first, and start it on the copy.

            The target must be empty. It cannot be opened until the copy is complete and compared. \
            After an interruption, remove the target and copy again.
            """)

    @Option(
        help: ArgumentHelp(
            "The store to copy; it is not changed: sqlite:PATH or etcd:URL,URL,…",
            valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var from: StoreLocation

    @Option(
        help: ArgumentHelp("The empty store to fill.", valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var to: StoreLocation

    @Flag(help: "Print one JSON document, for scripts.")
    var json = false

    func run() async throws {
        try await CommandFailure.reported(asJSON: json) {
            try await StoreCopying(source: from, target: to, json: json).run()
        }
    }
}
