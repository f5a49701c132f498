import ArgumentParser
import Foundation

@main
struct SampleBackendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample-backend",
        abstract: "A backend for ActiveConfig: it serves each user's configuration.",
        discussion: Exit.help + """


            "sample-backend --generate-completion-script zsh" (or bash, fish) prints a script \
            that completes these commands in a shell. "sample-backend --version" prints the \
            version.
            """,
        groupedSubcommands: [
            CommandGroup(name: "Serving", subcommands: [ServeCommand.self, WatchCommand.self]),
            CommandGroup(
                name: "Templates",
                subcommands: [
                    PublishCommand.self, GetCommand.self, VersionsCommand.self, DiffCommand.self,
                    RollbackCommand.self, UndoCommand.self, CompareCommand.self,
                    PromoteCommand.self, DraftCommand.self, ChangeRequestsCommand.self,
                    ScheduleCommand.self, RolloutCommand.self,
                    EvaluateCommand.self,
                    ImportCommand.self, ExportCommand.self,
                ]),
            CommandGroup(
                name: "Administration",
                subcommands: [
                    ProjectsCommand.self, ProtectionCommand.self, OverridesCommand.self,
                    AuditCommand.self,
                    TokensCommand.self, WebhooksCommand.self, ConnectionsCommand.self,
                    UsageCommand.self,
                    KeysCommand.self, DoctorCommand.self, BackupCommand.self,
                    RestoreCommand.self, CopyCommand.self, RaiseVersionsCommand.self,
                ]),
        ])

    /// The newest version in CHANGELOG.
    private static let version = "0.1.0"

    /// Parses and runs the command line as ArgumentParser does, but redacts secrets in its error
    /// messages.
    static func main() async {
        // Whether a network or a database is in use: a closed pipe is an error of the write.
        _ = signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Not the parser's option, which the help of each command would list, and "get" has its own.
        if arguments == ["--version"] { return Terminal.print(version) }
        do {
            try CommandNames.check(arguments, root: Self.self)
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            if code.isSuccess { exit(withError: error) }
            let message = CommandLineSecrets(arguments).redacted(fullMessage(for: error))
            if !message.isEmpty { Terminal.printError(message) }
            exit(withError: code)
        }
    }
}
