import ArgumentParser

/// Measures and tests the client's updater against a backend that it starts itself.
@main
struct UpdaterLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "UpdaterLoad",
        abstract: "Measures and tests the updater of ActiveConfig against a real backend.",
        subcommands: [
            MeasureDelivery.self, MeasureIdle.self, MeasureService.self, CountConnects.self,
            MeetFaults.self, ChangeUsers.self, Soak.self,
        ])
}

/// Options of every command that starts a backend.
struct BackendOptions: ParsableArguments {
    @Option(help: "Path of the program sample-backend.")
    var backend: String

    @Option(help: "Number of users, each with its own configuration and updater.")
    var users = 1

    @Flag(help: "Prints the figures as JSON.")
    var json = false
}
