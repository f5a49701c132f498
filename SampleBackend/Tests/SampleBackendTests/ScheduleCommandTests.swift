import JSONTree
import SeededRandomness
import Testing

@testable import SampleBackend

/// `sample-backend schedule`, whose times are checked as those of the API.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ScheduleCommandTests {
    /// T24.
    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aTimeWithoutAnOffsetAndAnUnknownZoneAreRefused(
        kind: AdministrationTarget.Kind
    ) async throws {
        let target = try await AdministrationTarget(kind)
        let published = try await target.run("publish", try target.template(), "--force", "--yes")
        #expect(published.exitCode == 0, "\(published)")
        let file = try target.template(title: "Bye", version: 1)
        let rows: [(options: [String], advice: String)] = [
            (["--at", "2030-06-01T09:00:00"], "offset"),
            (["--at", "2030-06-01 09:00 CET"], "offset"),
            (["--at", "2030-06-01T09:00:00Z", "--zone", "Europe/Berln"], "IANA"),
            (["--at", "2030-06-01T09:00:00Z", "--zone", "CET"], "IANA"),
        ]
        for (options, advice) in rows {
            let run = try await target.run(
                ["schedule", "create", "--title", "Title", "--file", file] + options)
            #expect(run.exitCode == 64, "\(run)")
            #expect(run.error.contains(advice), "\(run)")
        }
        let list = try await target.run("schedule", "list", "--json").json
        #expect(list["scheduledPublishes"] == [])
    }
}
