import ArgumentParser
import Foundation
import Measuring

/// Command that measures the targets and prints the results.
@main
struct BenchmarksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activeconfig-benchmarks",
        abstract: "Measures ActiveConfig's targets against their peers, in one run on one machine.")

    @Flag(help: "Fail when a target is missed or cannot be measured.")
    var check = false

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: "The targets to measure, such as F4,F7; all when it is not given.",
        transform: Self.targets)
    var only: [any BenchmarkTarget.Type]?

    @Option(help: "How often the sides take turns; at least \(Rounds.fewest).")
    var rounds = 15

    @Option(
        help: "A folder for the files of F6 and F9, on the file system that is to be measured.",
        completion: .directory, transform: { URL(filePath: $0) })
    var directory = FileManager.default.temporaryDirectory

    @Option(help: "A Python that has orjson.")
    var python = "python3"

    @Option(
        help: ArgumentHelp(
            "USERS,OWN: loads that many users' configurations and prints the growth of this process.",
            visibility: .private))
    var residentUsers: String?

    func validate() throws {
        guard rounds >= Rounds.fewest else {
            throw ValidationError("A median needs at least \(Rounds.fewest) rounds.")
        }
        #if DEBUG
            if check { throw ValidationError("A debug build is slow: build with -c release.") }
        #endif
    }

    func run() async throws {
        if let numbers = residentUsers?.split(separator: ",").compactMap({ Int($0) }),
            numbers.count == 2
        {
            let users = ResidentUsers(userCount: numbers[0], ownSections: numbers[1])
            return print(try await users.load().ratio)
        }
        let start = ContinuousClock.now
        let setup = BenchmarkSetup(rounds: Rounds(rounds), directory: directory, python: python)
        let progress = Progress()
        var rows: [Row] = []
        for target in only ?? AllTargets.list {
            progress.show("\(target.name): \(target.work)")
            rows += await Self.rows(of: target, setup)
        }
        progress.clear()
        let report = Report(rows: rows, rounds: rounds, duration: ContinuousClock.now - start)
        print(json ? try report.json() : report.text(isColored: Terminal.showsColors))
        if check, report.hasMissed { throw ExitCode.failure }
    }

    /// Rows of a target; if it cannot be measured, one row with the error.
    private static func rows(
        of target: any BenchmarkTarget.Type, _ setup: BenchmarkSetup
    ) async -> [Row] {
        do {
            return try await target.rows(setup)
        } catch {
            return [
                Row(
                    fact: target.name, target.work, found: "not measured: \(error)",
                    wanted: "a figure", isMet: false)
            ]
        }
    }

    /// Targets that a comma-separated list names.
    private static func targets(named list: String) throws -> [any BenchmarkTarget.Type] {
        try list.split(separator: ",").map { name in
            let name = name.trimmingCharacters(in: .whitespaces).uppercased()
            guard let target = AllTargets.list.first(where: { $0.name == name }) else {
                let known = AllTargets.list.map { $0.name }.joined(separator: ", ")
                throw ValidationError("There is no target \(name); there are \(known).")
            }
            return target
        }
    }
}
