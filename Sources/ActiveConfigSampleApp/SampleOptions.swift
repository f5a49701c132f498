import Foundation

/// The command line.
struct SampleOptions {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    static let help = """
        USAGE: ActiveConfigSampleApp [--server URL] [--store DIR] [--user ID]
                                     [--script COMMANDS] [--live] [--json]
                                     [--window] [--help]

        Shows a view whose colour, label and button come from the section
        SampleViewConfiguration. On a terminal it takes keys; in a pipe, commands
        from standard input.

          --server URL       The backend (default: http://127.0.0.1:8080).
          --store DIR        Where configurations are kept between runs
                             (default: in the application support folder).
          --user ID          The user to start with (default: the generic user).
          --script COMMANDS  Commands to run, divided by ";": download, user ID,
                             user (the generic one), show, explain, launch
                             (asks whether the app may run), quit.
          --live             Receives each change as it is published; without
                             a terminal and a script, until it is killed.
          --window           A window instead, on Apple's platforms.
          --json             One JSON object a line for each event.
          --help             This text.

        Exit codes: 0 all went well, 1 a download failed, 64 wrong usage.
        """

    var server = URL(filePath: "/")
    var storeDirectory =
        (FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        ?? FileManager.default.temporaryDirectory).appending(path: "ActiveConfigSampleApp")
    var userID: String?
    /// Nil: commands come from keys or standard input.
    var script: [SampleCommand]?
    /// Changes are received as they are published.
    var isLive = false
    /// Each event is a line of JSON.
    var isJSON = false
    var showsHelp = false
    var showsWindow = false

    init(arguments: [String]) throws(Failure) {
        var server = "http://127.0.0.1:8080"
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--server": server = try Self.value(of: name, &rest)
            case "--store":
                storeDirectory = URL(filePath: try Self.value(of: name, &rest))
            case "--user": userID = try Self.value(of: name, &rest)
            case "--script": script = try SampleCommand.script(try Self.value(of: name, &rest))
            case "--live": isLive = true
            case "--json": isJSON = true
            case "--window": showsWindow = true
            case "--help", "-h": showsHelp = true
            default: throw Failure("\"\(name)\" is no option; see --help.")
            }
        }
        guard let url = URL(string: server), url.scheme != nil, url.host() != nil else {
            throw Failure("\"\(server)\" is no URL of a server, such as http://127.0.0.1:8080.")
        }
        self.server = url
    }

    private static func value(
        of name: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> String {
        guard let value = rest.popFirst() else {
            throw Failure("\(name) needs a value; see --help.")
        }
        return value
    }
}

/// A command, given as a key or a word.
enum SampleCommand: Equatable {
    /// Download the current user's configuration.
    case download
    /// Switch to another user; nil is the generic user.
    case user(String?)
    /// Show the view again.
    case show
    /// Show the source of each setting.
    case explain
    /// Check whether the app may run, as at an app's launch.
    case launch
    /// End the app.
    case quit

    init?(key: Character) {
        switch key {
        case "1", "2", "3": self = .user(String(key))
        case "0", "g": self = .user(nil)
        case "d", "\r", "\n": self = .download
        case "s": self = .show
        case "e": self = .explain
        case "l": self = .launch
        case "q", "\u{03}", "\u{04}": self = .quit
        default: return nil
        }
    }

    /// The commands of a script: `download; user 2; user; show; quit`.
    ///
    /// - Throws: ``SampleOptions/Failure`` with the unknown word.
    static func script(_ text: String) throws(SampleOptions.Failure) -> [SampleCommand] {
        var commands: [SampleCommand] = []
        for part in text.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let words = part.split(separator: " ", maxSplits: 1)
            guard let word = words.first else { continue }
            switch word {
            case "download": commands.append(.download)
            case "user": commands.append(.user(words.count > 1 ? String(words[1]) : nil))
            case "show": commands.append(.show)
            case "explain": commands.append(.explain)
            case "launch": commands.append(.launch)
            case "quit": commands.append(.quit)
            default:
                throw SampleOptions.Failure(
                    "\"\(word)\" is no command; use download, user ID, user, show, explain, launch "
                        + "or quit.")
            }
        }
        return commands
    }
}
