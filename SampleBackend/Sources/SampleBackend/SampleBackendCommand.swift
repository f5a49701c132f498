import ArgumentParser

/// A type that is the command line of the backend.
@main
struct SampleBackendCommand: AsyncParsableCommand {
    /// The name, the help and the subcommands.
    static let configuration = CommandConfiguration(
        commandName: "sample-backend",
        abstract: "A backend for ActiveConfig: it serves each user's configuration.",
        discussion: Exit.help + """


            "sample-backend --generate-completion-script zsh" (or bash, fish) writes what a shell \
            needs to complete these commands.
            """,
        groupedSubcommands: [
            CommandGroup(name: "Serving", subcommands: [ServeCommand.self, WatchCommand.self]),
            CommandGroup(
                name: "Templates",
                subcommands: [
                    PublishCommand.self, GetCommand.self, VersionsCommand.self, DiffCommand.self,
                    RollbackCommand.self, EvaluateCommand.self, ImportCommand.self,
                    ExportCommand.self,
                ]),
            CommandGroup(
                name: "Administration",
                subcommands: [
                    OverridesCommand.self, AuditCommand.self, TokensCommand.self,
                    WebhooksCommand.self, DoctorCommand.self, BackupCommand.self,
                ]),
        ])
}
