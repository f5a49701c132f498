import ArgumentParser
import ConfigServer
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// A type that is `sample-backend serve`: it serves until SIGTERM or SIGINT (HTTP 5).
struct ServeCommand: AsyncParsableCommand {
    /// How long a shutdown may take before what is left is cancelled; the process is gone within
    /// 10 seconds of the signal.
    private static let shutdownTime: Duration = .seconds(9)

    /// The name and the help.
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve configurations over HTTP.",
        discussion: """
            When it listens it prints one line to standard output, "listening on http://HOST:PORT". \
            The log goes to standard error. SIGTERM and SIGINT let requests in flight finish; the \
            process exits with 0 within 10 seconds.
            """)

    /// The name or address to listen on.
    @Option(help: "The name or address to listen on.")
    var hostname = "127.0.0.1"

    /// The port to listen on.
    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 8080

    /// The least severe messages to log.
    @Option(
        help: "The least severe messages to log: \(Self.logLevelNames). (default: info)",
        transform: Self.logLevel)
    var logLevel: Logger.Level = .info

    /// Refuses a port that does not exist.
    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("The port \(port) does not exist: choose one from 0 to 65535.")
        }
    }

    /// Serves until a signal, then returns.
    ///
    /// - Throws: `ExitCode(69)` when the address cannot be listened on.
    func run() async throws {
        var logger = Logger(label: "sample-backend") { label in
            StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = logLevel
        let server = ConfigServer(
            source: SampleConfigurationSource(),
            configuration: ConfigServerConfiguration(hostname: hostname, port: port),
            logger: logger
        ) { address in
            Self.write("listening on \(address)\n", to: .standardOutput)
        }
        var configuration = ServiceGroupConfiguration(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownTime
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as ListeningError {
            Self.write("\(error)\n", to: .standardError)
            throw ExitCode(EX_UNAVAILABLE)
        } catch is CancellationError {
            logger.warning("Requests were still in flight when the time for them was over")
        }
    }

    /// Writes without a buffer in between, so that a pipe has the line at once.
    ///
    /// That nobody reads any more is no reason to stop serving.
    private static func write(_ text: String, to file: FileHandle) {
        try? file.write(contentsOf: Data(text.utf8))
    }

    /// The names of the levels, for people.
    private static let logLevelNames = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    /// Reads the name of a level.
    private static func logLevel(_ name: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            throw ValidationError("Choose one of \(logLevelNames).")
        }
        return level
    }
}
