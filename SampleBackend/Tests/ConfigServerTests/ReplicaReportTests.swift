import Foundation
import JSONTree
import SeededRandomness
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ClientAPI

/// The counts that replicas send each other, whose size is limited.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReplicaReportTests {
    private func counts(_ users: Int) throws -> ConnectionCounts {
        let json = #"{"versions":{"1":\#(users)}}"#
        return try JSONDecoder().decode(ConnectionCounts.self, from: Data(json.utf8))
    }

    private func announcement(_ report: some Encodable) throws -> ReplicaAnnouncement {
        ReplicaAnnouncement(
            replica: "r", isOwn: false, isSilent: false,
            contents: [ReplicaReport.name: try JSONEncoder().encode(report)])
    }

    /// The projects with the most clients come first, without acknowledgements when those are too
    /// long; the other projects are reported as missing.
    @Test func aReportHasRoomForTheProjectsWithMostClients() throws {
        let acknowledged = AcknowledgementCounts(
            clients: 1,
            versions: [
                .init(
                    number: 1, inForce: 0, withProblems: 1,
                    problems: [
                        .init(
                            place: .init(section: "s", key: nil), clients: 1,
                            message: String(repeating: "x", count: 70_000))
                    ])
            ])
        var projects: [String: ReplicaReport.Project] = [:]
        for number in 1...2_000 {
            projects["project \(number)"] = .init(connections: try counts(number))
        }
        projects["project 2000"]?.acknowledgements = acknowledged
        let report = ReplicaReport(projects, replicaName: "web-1")
        #expect(!report.isComplete)
        #expect(try JSONEncoder().encode(report).count < 70_000)
        #expect((500..<2_000).contains(report.projects.count))
        let least = 2_001 - report.projects.count
        #expect((least...2_000).allSatisfy { report.projects["project \($0)"] != nil })
        #expect(report.projects["project 2000"]?.acknowledgements == nil)
        var others = OtherReplicas(ownCount: 1)
        others.add(try announcement(report))
        #expect(others.json == ["count": 2, "silent": 0, "silentNames": [], "isComplete": false])
        #expect(others.connections(inProject: "project 2000").count == 2_000)
        #expect(others.connections(inProject: "project 1").count == 0)
    }

    @Test func aReportOfFewProjectsIsComplete() throws {
        let report = ReplicaReport(
            ["p": .init(connections: try counts(3))], replicaName: "web-1")
        var others = OtherReplicas(ownCount: 1)
        for _ in 0..<2 { others.add(try announcement(report)) }
        #expect(others.json == ["count": 3, "silent": 0, "silentNames": [], "isComplete": true])
        #expect(others.connections(inProject: "p").count == 6)
    }

    /// An identifier of a lease would mean nothing to operators.
    @Test func aReplicaIsNamedByItsReportAlone() throws {
        var others = OtherReplicas(ownCount: 1)
        // The replica has just started.
        others.add(
            ReplicaAnnouncement(replica: "id", isOwn: false, isSilent: true, contents: [:]))
        #expect(others.json == ["count": 1, "silent": 0, "silentNames": [], "isComplete": false])
        // The report of a newer program.
        others.add(
            ReplicaAnnouncement(
                replica: "id", isOwn: false, isSilent: false,
                contents: [ReplicaReport.name: Data(#"{"replicaName":"web-1","x":5}"#.utf8)]))
        #expect(
            others.json
                == ["count": 1, "silent": 1, "silentNames": ["web-1"], "isComplete": false])
    }

    /// Implausible counts are not added to those of other replicas.
    @Test(arguments: [
        #"{"connections":{"versions":{"1":9223372036854775807}}}"#,
        #"{"connections":{"versions":{"1":-1}}}"#,
        #"{"connections":{"versions":{},"lastPublish":{"version":1,"users":9223372036854775807,"changed":0}}}"#,
        #"{"connections":{"versions":{}},"acknowledgements":{"clients":9223372036854775807,"versions":[]}}"#,
        #"{"connections":{"versions":{}},"acknowledgements":{"clients":0,"versions":[{"number":1,"inForce":9223372036854775807,"withProblems":0,"problems":[]}]}}"#,
    ])
    func aReportThatIsNotPlausibleIsLeftOut(_ project: String) throws {
        let text = #"{"projects":{"p":\#(project)},"isComplete":true}"#
        let report = try JSONDecoder().decode(ReplicaReport.self, from: Data(text.utf8))
        var others = OtherReplicas(ownCount: 1)
        for _ in 0..<2 { others.add(try announcement(report)) }
        #expect(
            others.json
                == ["count": 1, "silent": 2, "silentNames": ["r", "r"], "isComplete": false])
        #expect(others.connections(inProject: "p").count == 0)
        #expect(others.acknowledgements(inProject: "p").isEmpty)
    }
}
