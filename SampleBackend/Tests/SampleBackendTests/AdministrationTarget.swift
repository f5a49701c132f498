import TemporaryFolders
import Testing

/// A type that is what a command of administrators works on: a server, or a database.
final class AdministrationTarget: Sendable {
    /// The kinds, for tables.
    enum Kind: String, Sendable, CaseIterable, CustomTestStringConvertible {
        /// A server, over HTTP, on an SQLite database.
        case server
        /// An SQLite database, opened by each command.
        case database

        /// The name in a report.
        var testDescription: String { rawValue }
    }

    /// The folder of the test.
    let folder: TemporaryFolder

    /// The server, of the kind that has one.
    private let backend: RunningBackend?

    /// Makes an empty project to work on.
    init(_ kind: Kind) async throws {
        folder = try TemporaryFolder()
        let server = try await RunningBackend(store: folder.store, ["--log-level", "error"])
        switch kind {
        case .server: backend = server
        case .database:
            // The server has made the database.
            _ = await server.stop()
            backend = nil
        }
    }

    /// Runs a command.
    ///
    /// - Parameter arguments: The command with its own arguments.
    /// - Returns: The run.
    /// - Throws: What starting a process throws.
    func run(_ arguments: String...) async throws -> CommandRun {
        let place = backend.map { ["--server", $0.url] } ?? ["--store", folder.store]
        return try await CommandRun(
            arguments + place,
            environment: backend == nil ? [:] : ["ACTIVECONFIG_TOKEN": RunningBackend.token])
    }

    /// Writes a template with one parameter, `Home.title`.
    ///
    /// - Parameters:
    ///   - title: The default value.
    ///   - version: The version that the file says it is.
    /// - Returns: The path of the file.
    /// - Throws: What writing a file throws.
    func template(title: String = "Hello", version: Int? = nil) throws -> String {
        try folder.write(
            Self.templateText(title: title, version: version), to: "\(title).json")
    }

    /// The text of a template with one parameter, `Home.title`, which differs for user 3.
    static func templateText(title: String, version: Int? = nil) -> String {
        let member = version.map { #","version":{"versionNumber":"\#($0)"}"# } ?? ""
        return #"{"conditions":[{"name":"three","expression":"user.id == '3'"},"#
            + #"{"name":"half","expression":"percent('seed') <= 50"}],"#
            + #""parameterGroups":{"Home":{"parameters":{"title":{"valueType":"STRING","#
            + #""defaultValue":{"value":"\#(title)"},"#
            + #""conditionalValues":{"three":{"value":"\#(title) for three"}}}}}}\#(member)}"#
    }
}
