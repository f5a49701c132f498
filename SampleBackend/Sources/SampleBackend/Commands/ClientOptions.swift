import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree
import Targeting

/// The options that identify a client: the user and the signals of the app.
struct ClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user's ID. (default: the generic user)", valueName: "id"))
    var user: String?

    @OptionGroup var app: SignalOptions

    /// The help text that commands with these options share.
    static let help = """
        Signals describe the app: app.id, app.version, app.build, device.os, device.country, \
        device.language, and custom signals by their own name, with or without the prefix \
        "signal.".
        """

    /// The signals by query name; the server checks their limits.
    var signalValues: [(name: String, value: String)] { app.values }
}

extension ClientOptions {
    /// The path of the user's document (PROTOCOL 1), with the signals in the query.
    ///
    /// `suffix` follows the path of the document, such as `/events`.
    func documentPath(inProject project: String, suffix: String = "") -> String {
        let path = "/projects/\(project.percentEncoded)/activeconfig"
        let query = signalValues.map { name, value in
            "\(name.percentEncoded)=\(value.percentEncoded)"
        }
        return path + (user.map { "/user/\($0.percentEncoded)" } ?? "") + suffix
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}

/// The option for an app's signals.
struct SignalOptions: ParsableArguments {
    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp("A signal; may be given more than once.", valueName: "name=value"))
    var signals: [String] = []

    /// Rejects signals without a name or a value.
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

    /// The signals by query name; the server checks their limits.
    var values: [(name: String, value: String)] {
        signals.compactMap { signal in
            Self.parsed(signal).map { (name: $0.name.queryName, value: $0.value) }
        }
    }

    /// Parses `name=value`.
    private static func parsed(_ signal: String) -> (name: SignalName, value: String)? {
        let parts = signal.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = SignalName(String(parts[0])) else { return nil }
        return (name, String(parts[1]))
    }

    /// The signals as JSON strings by name.
    var json: JSONNode {
        var node = JSONNode.emptyObject
        for (name, value) in values { node.setMember(name, .string(value)) }
        return node
    }
}
