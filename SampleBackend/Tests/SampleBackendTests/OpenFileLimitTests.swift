import ServerTestSupport
import Testing

@testable import SampleBackend

/// The number of connections that the limit of open files permits.
struct OpenFileLimitTests {
    struct Case: Sendable {
        let files: Int?
        let wanted: Int?
        let maximum: Int?
        var isWarned = false
    }

    static let cases: [NamedRow<Case>] = [
        NamedRow("no limit", Case(files: nil, wanted: nil, maximum: nil)),
        NamedRow("no limit but the option", Case(files: nil, wanted: 9, maximum: 9)),
        NamedRow("the files", Case(files: 1_024, wanted: nil, maximum: 768)),
        NamedRow("fewer than the files", Case(files: 1_024, wanted: 768, maximum: 768)),
        NamedRow(
            "more than the files", Case(files: 1_024, wanted: 769, maximum: 768, isWarned: true)),
        NamedRow("very many", Case(files: 300, wanted: .max, maximum: 44, isWarned: true)),
        NamedRow("the fewest", Case(files: 258, wanted: nil, maximum: 2)),
    ]

    @Test(arguments: cases)
    func connectionsAreAtMostWhatTheFilesAllow(row: NamedRow<Case>) throws {
        let connections = try OpenFileLimit(files: row.value.files)
            .connections(atMost: row.value.wanted)
        #expect(connections.maximum == row.value.maximum)
        #expect((connections.warning != nil) == row.value.isWarned)
    }

    @Test(arguments: [nil, 2, 1_000])
    func withoutFilesForConnectionsThereIsAnError(wanted: Int?) {
        let error = #expect(throws: OpenFileLimitError.self) {
            try OpenFileLimit(files: 257).connections(atMost: wanted)
        }
        #expect(error?.neededFiles == 258)
    }
}
