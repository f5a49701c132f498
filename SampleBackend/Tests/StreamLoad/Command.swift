/// A command in a line of standard input.
enum Command: Hashable {
    /// `connect COUNT`: adds this many clients, which run until the end of the program.
    case connect(count: Int)
    /// `mark`: resets all counts.
    case mark
    /// `opened SECONDS`: waits until each client has received a hello since the mark and is still
    /// connected.
    case opened(seconds: Int)
    /// `told VERSION COHORTS SECONDS`: waits until each client of the first COHORTS of ten cohorts
    /// has that version.
    case told(version: Int, cohorts: Int, seconds: Int)
    /// `report COHORTS`: checks the received events, and reports the counts since the mark.
    case report(cohorts: Int)

    /// Parses a line; nil if it is not a command.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard numbers.count == words.count - 1, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        switch (words.first, numbers.count) {
        case ("connect", 1): self = .connect(count: numbers[0])
        case ("mark", 0): self = .mark
        case ("opened", 1): self = .opened(seconds: numbers[0])
        case ("told", 3):
            self = .told(version: numbers[0], cohorts: numbers[1], seconds: numbers[2])
        case ("report", 1): self = .report(cohorts: numbers[0])
        default: return nil
        }
    }
}
