import ArgumentParser

/// `sample-backend copy` copies a store into one of any engine.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a whole store into an empty one, of any engine.",
        discussion: """
            It copies the state of one moment: projects with all versions, details, pinned values, drafts, \
            tokens with their last uses, sessions, webhooks with their deliveries, and the audit trail. \
            Then it reads both and compares them. What is stored in the source meanwhile is not in the \
            copy, and a webhook's delivery may be sent by both: stop the server first, and start it on the \
            copy.

            The target must be empty. Until the copy is complete and compared, the target cannot be \
            opened; nor can it after an interruption: then remove it and copy again.
            """)

    @Option(
        help: ArgumentHelp(
            "The store to copy, which is not changed: sqlite:PATH or etcd:URL,URL,…",
            valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var from: StoreLocation

    @Option(
        help: ArgumentHelp("The empty store to fill.", valueName: "store"),
        transform: StoreLocation.init(parsing:))
    var to: StoreLocation

    @Flag(help: "Answer with one JSON document, for programs.")
    var json = false

    func run() async throws {
        try await CommandFailure.reported(asJSON: json) {
            try await StoreCopying(source: from, target: to, json: json).run()
        }
    }
}
