/// What the app can be told to do, by a key or a word.
enum SampleCommand: Equatable {
    /// Download the current user's configuration.
    case download
    /// Make another user the current one; nil is the generic user.
    case user(String?)
    /// Show the view again.
    case show
    /// End the app.
    case quit

    /// The command of a key; nil when it has none.
    init?(key: Character) {
        switch key {
        case "1", "2", "3": self = .user(String(key))
        case "0", "g": self = .user(nil)
        case "d", "\r", "\n": self = .download
        case "s": self = .show
        case "q", "\u{03}", "\u{04}": self = .quit
        default: return nil
        }
    }

    /// The commands of a script: `download; user 2; user; show; quit`.
    ///
    /// - Throws: ``SampleOptions/Failure`` with the word that is no command.
    static func script(_ text: String) throws(SampleOptions.Failure) -> [SampleCommand] {
        var commands: [SampleCommand] = []
        for part in text.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let words = part.split(separator: " ", maxSplits: 1)
            guard let word = words.first else { continue }
            switch word {
            case "download": commands.append(.download)
            case "user": commands.append(.user(words.count > 1 ? String(words[1]) : nil))
            case "show": commands.append(.show)
            case "quit": commands.append(.quit)
            default:
                throw SampleOptions.Failure(
                    "\"\(word)\" is no command; use download, user ID, user, show or quit.")
            }
        }
        return commands
    }
}
