import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree
import Targeting

/// A type that is the options which say as whom a command asks: a user, and what an app says about
/// itself.
struct ClientOptions: ParsableArguments {
    /// The user.
    @Option(help: ArgumentHelp("The user's ID; the generic user without it.", valueName: "id"))
    var user: String?

    /// What the user's app says about itself.
    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp("A signal; may be given more than once.", valueName: "name=value"))
    var signals: [String] = []

    /// The help that commands with these options give.
    static let help = """
        Signals are what an app says about itself: app.id, app.version, app.build, device.os, \
        device.country, device.language, and custom ones by their own name, with signal. before \
        it or without.
        """

    /// Refuses signals without a value.
    func validate() throws {
        for signal in signals {
            guard signal.dropFirst().contains("=") else {
                throw ValidationError("The signal \"\(signal)\" has no value: give name=value.")
            }
            guard Self.parsed(signal) != nil else {
                throw ValidationError(
                    "The signal \"\(signal)\" has no name: put it after the dot.")
            }
        }
    }

    /// The signals by their names in a query; the server checks their limits.
    var signalValues: [(name: String, value: String)] {
        signals.compactMap { signal in
            Self.parsed(signal).map { (name: $0.name.queryName, value: $0.value) }
        }
    }

    /// Reads `name=value`.
    private static func parsed(_ signal: String) -> (name: SignalName, value: String)? {
        let parts = signal.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = SignalName(String(parts[0])) else { return nil }
        return (name, String(parts[1]))
    }
}

extension ClientOptions {
    /// The path of the user's document (HTTP 1).
    ///
    /// - Parameters:
    ///   - project: The project.
    ///   - suffix: What comes behind the path, such as `/events`.
    /// - Returns: The path, with the signals in the query.
    func documentPath(inProject project: String, suffix: String = "") -> String {
        let path = "/projects/\(project.percentEncoded)/activeconfig"
        let query = signalValues.map { name, value in
            "\(name.percentEncoded)=\(value.percentEncoded)"
        }
        return path + (user.map { "/user/\($0.percentEncoded)" } ?? "") + suffix
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
