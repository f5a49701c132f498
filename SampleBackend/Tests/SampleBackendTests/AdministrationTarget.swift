import TemporaryFolders
import Testing

/// Target of an administrator's command: a server or a database.
final class AdministrationTarget: Sendable {
    enum Kind: String, Sendable, CaseIterable, CustomTestStringConvertible {
        /// Server with an SQLite database, reached over HTTP.
        case server
        /// SQLite database, opened by each command.
        case database

        var testDescription: String { rawValue }
    }

    let folder: TemporaryFolder

    /// Nil for a database.
    private let backend: RunningBackend?

    /// Creates a target with an empty project.
    init(_ kind: Kind) async throws {
        folder = try TemporaryFolder()
        let server = try await RunningBackend(store: folder.store, ["--log-level", "error"])
        switch kind {
        case .server: backend = server
        case .database:
            // Running the server has created the database.
            _ = await server.stop()
            backend = nil
        }
    }

    /// Options that select the target.
    private var place: [String] {
        backend.map { ["--server", $0.url] } ?? ["--store", folder.store]
    }

    /// Runs a command on the target.
    func run(_ arguments: String...) async throws -> CommandRun {
        try await run(arguments)
    }

    /// Runs a command on the target.
    func run(_ arguments: [String], isOutputClosed: Bool = false) async throws -> CommandRun {
        try await CommandRun(
            arguments + place,
            environment: backend == nil ? [:] : ["ACTIVECONFIG_TOKEN": RunningBackend.token],
            isOutputClosed: isOutputClosed)
    }

    /// Writes a template with one parameter, `Home.title`, to a file, and returns its path.
    func template(title: String = "Hello", version: Int? = nil) throws -> String {
        try folder.write(
            Self.templateText(title: title, version: version), to: "\(title).json")
    }

    /// Text of a template with one parameter, `Home.title`, whose value differs for user 3.
    static func templateText(title: String, version: Int? = nil) -> String {
        let member = version.map { #","version":{"versionNumber":"\#($0)"}"# } ?? ""
        return #"{"conditions":[{"name":"three","expression":"user.id == '3'"},"#
            + #"{"name":"half","expression":"percent('seed') <= 50"}],"#
            + #""parameterGroups":{"Home":{"parameters":{"title":{"valueType":"STRING","#
            + #""defaultValue":{"value":"\#(title)"},"#
            + #""conditionalValues":{"three":{"value":"\#(title) for three"}}}}}}\#(member)}"#
    }
}
