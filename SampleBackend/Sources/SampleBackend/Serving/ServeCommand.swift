import AdminAPI
import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import JSONTree
import Logging
import TemplateStore

/// `sample-backend serve` serves until SIGTERM or SIGINT (API 5).
struct ServeCommand: AsyncParsableCommand {
    /// Default limit of requests per second and address, unless the server is on the loopback
    /// interface.
    static let defaultRateLimit = 1_000

    /// Default limit of streams per address, unless the server is on the loopback interface.
    static let defaultStreamsPerAddress = 1_000

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve configurations over HTTP.",
        discussion: """
            When it listens, it prints one line to standard output, "listening on \
            http://HOST:PORT". The log goes to standard error. SIGTERM and SIGINT \
            let requests in flight finish; the process exits with 0 within 10 seconds, after \
            SIGTERM once --drain-seconds are over. During the start both end it at once. SIGHUP \
            reads the files of TLS, JWKS and --oidc-roles again.

            The environment variable ACTIVECONFIG_ADMIN_TOKEN, with at least \
            \(ConfigServerOptions.minimumAdministratorTokenLength) characters, is a token \
            of a publisher.
            """)

    @Option(help: "The name or address to listen on.")
    var hostname = "127.0.0.1"

    @Option(help: "The port to listen on; 0 chooses a free one.")
    var port = 8080

    @Option(
        help: ArgumentHelp(
            "The store of templates: sqlite:PATH, etcd:URL,URL,… or memory. "
                + "(default: \(StoreLocation.default))",
            discussion: "The URLs of etcd's members can be followed by ?prefix=/activeconfig/ and, "
                + "separated by &, ca=FILE, cert=FILE and key=FILE for TLS, user=NAME and "
                + "password-file=FILE.",
            valueName: "store"), transform: StoreLocation.init(parsing:))
    var store = StoreLocation.default

    @Option(
        help: ArgumentHelp(
            "Keep a snapshot of the configuration in this file, and start from it if etcd does not "
                + "respond.",
            discussion: "It has templates and pinned values, but no tokens.", valueName: "file"),
        completion: .file())
    var snapshot: String?

    @OptionGroup(title: "Development")
    var development: DevelopmentOptions

    @Flag(
        help: ArgumentHelp(
            "Do not sample the signals of recent requests.",
            discussion: "The sample is in memory, without user IDs and without values that fewer "
                + "than five users send. From it the console estimates a draft's reach."))
    var noSample = false

    @OptionGroup(title: "Access")
    var access: AccessOptions

    @OptionGroup(title: "Sign-in of people")
    var openID: OpenIDServeOptions

    @OptionGroup(title: "Signatures and acknowledgements")
    var assurance: AssuranceOptions

    @Option(
        help: ArgumentHelp(
            "The certificate chain for TLS, PEM, the server's certificate first.",
            valueName: "file"))
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp("The private key of the certificate, PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: """
            Maximum requests per second and address; 0 means no limit. (default: none on this \
            machine, else \(Self.defaultRateLimit))
            """)
    var rateLimit: Int?

    @Option(
        help: """
            Maximum number of connections; for another one, the server closes the connection that \
            has been idle longest. (default and maximum: as many as the open files allow, less \
            \(OpenFileLimit.reserve))
            """)
    var maxConnections: Int?

    @Option(
        help: """
            Maximum streams per address, or IPv6 /64 network; 0 means no limit. (default: \
            none on this machine, else \(Self.defaultStreamsPerAddress))
            """)
    var maxStreamsPerAddress: Int?

    @Option(
        help: ArgumentHelp(
            "Maximum lifetime of a stream, after which its client reconnects; 0 means no limit.",
            valueName: "seconds"))
    var streamMaxAge = 3_600

    @Option(
        help: """
            Maximum megabytes that clients leave unread, over all connections; beyond it, the \
            server closes the connections whose data has waited longest.
            """)
    var clientBacklogMegabytes = 128

    @OptionGroup var signals: ServerSignals

    @Flag(
        help: """
            Allow webhooks on private networks and on this machine; every publisher can then make \
            this server send requests there.
            """)
    var allowPrivateWebhooks = false

    @Option(
        help: """
            Maximum megabytes of memory for rendered documents of all projects. (default: 1/32 of \
            the memory, from 32 to 256)
            """)
    var cacheMegabytes: Int?

    @Option(
        help: "Minimum severity of log messages: \(Self.logLevelNames). (default: info)",
        transform: Self.logLevel)
    var logLevel: Logger.Level = .info

    /// Rejects contradictory and out-of-range options.
    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("The port \(port) does not exist: choose one from 0 to 65535.")
        }
        if let snapshot {
            guard case .etcd = store else {
                throw ValidationError(
                    "--snapshot is for --store etcd:…: any other store is on this machine already.")
            }
            if development.dev {
                throw ValidationError("--dev may publish at the start: remove --snapshot.")
            }
            if snapshot.isEmpty { throw ValidationError("--snapshot is empty: name a file.") }
        }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("TLS needs both --tls-certificate and --tls-key.")
        }
        if let rateLimit, rateLimit < 0 {
            throw ValidationError("--rate-limit is below 0: give 0 for no limit.")
        }
        if let maxConnections, maxConnections < ConnectionPlaces.minimum {
            throw ValidationError(
                "--max-connections is below \(ConnectionPlaces.minimum): give "
                    + "\(ConnectionPlaces.minimum) or more, since one is for the next client.")
        }
        if let maxStreamsPerAddress, maxStreamsPerAddress < 0 {
            throw ValidationError("--max-streams-per-address is below 0: give 0 for no limit.")
        }
        guard (0...31_536_000).contains(streamMaxAge) else {
            throw ValidationError("--stream-max-age is out of range: give 0 to 31536000 seconds.")
        }
        guard (1...1_048_576).contains(clientBacklogMegabytes) else {
            throw ValidationError("--client-backlog-megabytes is out of range: give 1 to 1048576.")
        }
        guard (0...1_048_576).contains(cacheMegabytes ?? 0) else {
            throw ValidationError("--cache-megabytes is out of range: give 0 to 1048576.")
        }
        let minimum = ConfigServerOptions.minimumAdministratorTokenLength
        if let token = try administratorToken, token.text.isLonger(than: minimum - 1) == false {
            throw ValidationError(
                "ACTIVECONFIG_ADMIN_TOKEN has \(token.text.characterCount) characters: give at least \(minimum), "
                    + "such as those of \"openssl rand -hex 32\".")
        }
        try development.validate(isLoopback: isLoopback)
        try access.validate(isLoopback: isLoopback)
        try assurance.validate()
    }

    /// Serves until a signal.
    ///
    /// - Throws: `ExitCode` 69 when the store cannot be opened or the address is not available, 65
    ///   when the TLS files cannot be used, 1 when there are no open files for connections.
    func run() async throws {
        var logger = Logger(label: "sample-backend") { label in
            StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = logLevel
        // Without the signal, a write beyond the file-size limit fails like one to a full disk.
        _ = signal(SIGXFSZ, SIG_IGN)
        do {
            try await signals.run(logger: logger) { [logger] in try await open(logger: logger) }
        } catch is CancellationError {
            logger.warning("The time limit for shutdown expired with requests in flight")
        } catch let error as TemplateStoreError {
            Terminal.printError("\(error)")
            throw Exit.unavailable
        } catch let error as ListeningError {
            Terminal.printError("\(error)")
            throw Exit.unavailable
        } catch let error as TLSFilesError {
            Terminal.printError("\(error)")
            throw Exit.badInput
        } catch let error as OpenFileLimitError {
            Terminal.printError("\(error)")
            throw Exit.failure
        }
    }

    /// The administrator token from the environment.
    var administratorToken: Secret? {
        get throws { try .environment("ACTIVECONFIG_ADMIN_TOKEN") }
    }

    /// True when the server listens on the loopback interface only.
    var isLoopback: Bool {
        ConfigServerOptions(hostname: hostname).isLoopback
    }

    private static let logLevelNames = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    private static func logLevel(_ name: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            throw ValidationError("Choose one of \(logLevelNames).")
        }
        return level
    }
}
