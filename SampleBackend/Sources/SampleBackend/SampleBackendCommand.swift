import ArgumentParser

/// A type that is the command line of the backend.
@main
struct SampleBackendCommand: AsyncParsableCommand {
    /// The name, the help and the subcommands.
    static let configuration = CommandConfiguration(
        commandName: "sample-backend",
        abstract: "A backend for ActiveConfig: it serves each user's configuration.",
        discussion: """
            Exit codes: 0 stopped as asked, 64 the command line is wrong, 69 the address cannot \
            be listened on, 1 anything else.
            """,
        subcommands: [ServeCommand.self])
}
