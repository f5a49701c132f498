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

/// What every command needs to know.
struct BackendOptions: ParsableArguments {
    @Option(help: "The program sample-backend.")
    var backend: String

    @Option(help: "How many users, each with a configuration and an updater of its own.")
    var users = 1

    @Flag(help: "Print the figures as JSON.")
    var json = false
}
