import ArgumentParser
import Foundation
import Measuring

/// Command that measures the targets and prints the results.
@main
struct BenchmarksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activeconfig-benchmarks",
        abstract: "Measures ActiveConfig against its peers, in one run on one machine.")

    @Flag(help: "Fail if a target is missed or cannot be measured.")
    var check = false

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: "The targets to measure, such as F4,F7; all by default.",
        transform: Self.targets)
    var only: [any BenchmarkTarget.Type]?

    @Option(help: "The number of rounds in which the sides take turns, at least \(Rounds.fewest).")
    var rounds = 15

    @Option(
        help: "A folder for the files of F6 and F9, on the file system to measure.",
        completion: .directory, transform: { URL(filePath: $0) })
    var directory = FileManager.default.temporaryDirectory

    @Option(help: "A Python interpreter with orjson.")
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

    /// Rows of a target; a single row with the error if the target cannot be measured.
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

    /// Targets in a comma-separated list.
    private static func targets(named list: String) throws -> [any BenchmarkTarget.Type] {
        try list.split(separator: ",").map { name in
            let name = name.trimmingCharacters(in: .whitespaces).uppercased()
            guard let target = AllTargets.list.first(where: { $0.name == name }) else {
                let known = AllTargets.list.map { $0.name }.joined(separator: ", ")
                throw ValidationError("Unknown target \(name); the targets are \(known).")
            }
            return target
        }
    }
}
