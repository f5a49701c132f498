import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree

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
        device.country, device.language, and custom ones by their own name.
        """

    /// Refuses signals without a value.
    func validate() throws {
        for signal in signals where !signal.dropFirst().contains("=") {
            throw ValidationError("The signal \"\(signal)\" has no value: give name=value.")
        }
    }

    /// The names and values of the signals.
    var signalValues: [(name: String, value: String)] {
        signals.map { signal in
            let parts = signal.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts[1]))
        }
    }
}

extension ClientOptions {
    /// The signals that a query names as they are; all others are custom ones.
    private static let standardSignals: Set<String> = [
        "app.id", "app.version", "app.build", "device.os", "device.country", "device.language",
    ]

    /// The path of the user's document (HTTP 1).
    ///
    /// - Parameters:
    ///   - project: The project.
    ///   - suffix: What comes behind the path, such as `/events`.
    /// - Returns: The path, with the signals in the query.
    func documentPath(inProject project: String, suffix: String = "") -> String {
        let path = "/projects/\(project.percentEncoded)/activeconfig"
        let query = signalValues.map { name, value in
            let name = Self.standardSignals.contains(name) ? name : "signal.\(name)"
            return "\(name.percentEncoded)=\(value.percentEncoded)"
        }
        return path + (user.map { "/user/\($0.percentEncoded)" } ?? "") + suffix
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
