import ArgumentParser
import JSONTree

/// Finds unknown command names before the parser takes them for arguments.
enum CommandNames {
    /// Maximum length of a word that is compared with the names, in bytes.
    private static let maximumLength = 30

    /// Checks the names of a command and its subcommands at the start of a command line, also after
    /// `help`.
    ///
    /// - Throws: A `ValidationError` that names the nearest command.
    static func check(_ arguments: [String], root: any ParsableCommand.Type) throws {
        var words = arguments[...]
        if words.first == "help" { words.removeFirst() }
        var command = root
        while let word = words.popFirst(), !word.hasPrefix("-") {
            let known = command.configuration.subcommands
            guard !known.isEmpty else { return }
            guard let next = known.first(where: { $0._commandName == word }) else {
                let advice = advice(word, known.map { $0._commandName })
                throw ValidationError("There is no command \"\(word.shortened)\"\(advice)")
            }
            command = next
        }
    }

    private static func advice(_ word: String, _ names: [String]) -> String {
        let help = ": see --help."
        guard word.utf8.count <= maximumLength else { return help }
        let limit = max(1, word.utf8.count / 3)
        let nearest = names.map { (name: $0, distance: $0.editDistance(to: word)) }
            .filter { $0.distance <= limit }.min { $0.distance < $1.distance }
        return nearest.map { "; did you mean \($0.name)?" } ?? help
    }
}
