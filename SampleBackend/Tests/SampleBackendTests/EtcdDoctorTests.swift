import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import TemporaryFolders
import Testing

@testable import SampleBackend

/// `sample-backend doctor` with a store in etcd.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EtcdDoctorTests {
    private let folder: TemporaryFolder
    /// The location of a store in etcd that does not exist yet.
    private let etcd: String

    init() async throws {
        folder = try TemporaryFolder()
        let location = try await SharedMember.cluster.value.location()
        etcd = "etcd:\(location.members[0])?prefix=\(location.prefix)"
    }

    @Test(arguments: [
        ("3.3.27", "older"), ("3.4.23", "past its end of life"), ("3.4.37", "past its end of life"),
        ("3.5.1", "differ after a crash"), ("3.5.9", "3.5.13"), ("3.5.13", nil), ("3.6.5", nil),
        ("3.6.0-rc.1", nil),
    ])
    func versionsThatAreNotWellAreNamed(version: String, advice: String?) throws {
        let found = try #require(EtcdVersion(version)).advice
        #expect((found == nil) == (advice == nil), "\(String(describing: found))")
        if let advice { #expect(found?.contains(advice) == true) }
    }

    @Test func theOptionsOfACommandLineAreRead() {
        let line = EtcdCommandLine([
            "/usr/bin/etcd", "--name", "m0", "--pre-vote", "--auto-compaction-retention=1h",
            "-max-request-bytes", "100",
        ])
        #expect(line.isWhole)
        #expect(line["name"] == "m0")
        #expect(line["pre-vote"] == "true")
        #expect(line["auto-compaction-retention"] == "1h")
        #expect(line["max-request-bytes"] == "100")
        // The command line of Debian's unit, whose options are in the environment.
        #expect(!EtcdCommandLine(["/usr/bin/etcd"]).isWhole)
        #expect(!EtcdCommandLine(["etcd", "--config-file=/etc/etcd.yaml"]).isWhole)
    }

    /// Creates a store, as a server does at startup.
    private func makeStore(at store: String) async throws {
        let location = try EtcdLocation(parsing: String(store.dropFirst("etcd:".count)))
        try await EtcdTemplateStore(location).close()
    }

    /// The findings of `doctor --json`, by subject, each with its state and message.
    private func findings(_ run: CommandRun) throws -> [String: String] {
        let findings = try #require(try run.json["findings"]?.arrayValue)
        var lines: [String: String] = [:]
        for finding in findings {
            let subject = try #require(finding["subject"]?.stringValue)
            let state = try #require(finding["state"]?.stringValue)
            let message = try #require(finding["message"]?.stringValue)
            lines[subject] = [lines[subject], "\(state) \(message)"].compactMap { $0 }
                .joined(separator: "\n")
        }
        return lines
    }

    @Test func doctorLooksAtTheClusterAndTheStore() async throws {
        let missing = try findings(
            try await CommandRun(["doctor", "--store", etcd, "--json"]))
        #expect(missing["store"]?.hasPrefix("warn there is none") == true, "\(missing)")
        // The command has not created a store.
        let still = try findings(try await CommandRun(["doctor", "--store", etcd, "--json"]))
        #expect(still["store"] == missing["store"])
        try await makeStore(at: etcd)
        #expect(
            try await CommandRun([
                "publish", try folder.write("{\"parameters\":{}}", to: "t.json"), "--store", etcd,
            ]).exitCode == 0)
        let run = try await CommandRun(["doctor", "--store", etcd, "--json"])
        #expect(run.exitCode == 0, "\(run)")
        let found = try findings(run)
        #expect(found["store"]?.hasPrefix("ok its identifier is") == true, "\(found)")
        #expect(found["store"]?.contains("1 changes") == true, "\(found)")
        #expect(found["etcd member"]?.contains(", leads, has") == true, "\(found)")
        #expect(found["etcd cluster"]?.contains("one member") == true, "\(found)")
        #expect(found["etcd quota"]?.hasPrefix("ok ") == true, "\(found)")
        #expect(found["etcd options"]?.contains("--auto-compaction-retention") == true)
        #expect(found["etcd read"]?.contains("ms") == true, "\(found)")
        #expect(found["etcd write"]?.contains("ms") == true, "\(found)")
    }

    @Test func doctorNamesAMemberThatIsDownAndALostMajority() async throws {
        let cluster = try await EtcdCluster(
            members: 3,
            options: [
                "--pre-vote", "--auto-compaction-mode=periodic", "--auto-compaction-retention=1h",
            ])
        defer { cluster.end() }
        let store = "etcd:" + cluster.members.joined(separator: ",")
        let whole = try findings(try await CommandRun(["doctor", "--store", store, "--json"]))
        #expect(whole["etcd cluster"]?.hasPrefix("ok ") == true, "\(whole)")
        #expect(whole["etcd cluster"]?.hasSuffix("3 members") == true, "\(whole)")
        #expect(whole["etcd options"] == nil, "\(whole)")
        let one = try findings(
            try await CommandRun(["doctor", "--store", "etcd:" + cluster.members[0], "--json"]))
        #expect(one["etcd cluster"]?.contains("but --store names 1") == true, "\(one)")
        cluster.kill9(2)
        // It may have been the leader.
        try await cluster.waitForLeader()
        let down = try await CommandRun(["doctor", "--store", store, "--json"])
        #expect(down.exitCode == 0, "\(down)")
        let message = try findings(down)["etcd member"]
        #expect(message?.contains("warn \(cluster.members[2]) does not answer") == true, "\(down)")
        cluster.kill9(1)
        let lost = try await CommandRun(["doctor", "--store", store, "--json"])
        #expect(lost.exitCode == 1, "\(lost)")
        #expect(
            try findings(lost)["etcd cluster"]
                == "fail 1 of 3 members runs, 2 are needed: start \(cluster.members[1]) and "
                + cluster.members[2])
        let running = try findings(lost)["etcd member"]?.split(separator: "\n").first
        #expect(running?.contains("\(cluster.members[0]) runs") == true, "\(lost)")
        let single = try await CommandRun(
            ["doctor", "--store", "etcd:" + cluster.members[0], "--json"])
        let advice = try findings(single)["etcd cluster"]
        #expect(advice?.hasPrefix("fail 1 of 3 members runs") == true, "\(single)")
        #expect(advice?.contains(cluster.members[2]) == true, "\(single)")
        // What waits for a majority is tried once, not once for each finding.
        let write = try findings(lost)["etcd write"]
        #expect(write?.hasPrefix("fail ") == true, "\(lost)")
        #expect(try findings(lost)["etcd read"] == write)
    }

    @Test func doctorFindsAFullQuota() async throws {
        let cluster = try await EtcdCluster(options: ["--quota-backend-bytes=2097152"])
        defer { cluster.end() }
        let store = "etcd:" + cluster.members[0]
        let value = "\"" + String(repeating: "x", count: 400_000) + "\""
        let template = try folder.write(
            "{\"parameters\":{\"p\":{\"defaultValue\":{\"value\":\(value)}}}}", to: "t.json")
        try await makeStore(at: store)
        var last: CommandRun?
        for _ in 0..<20 {
            last = try await CommandRun(["publish", template, "--force", "--store", store])
            if last?.exitCode != 0 { break }
        }
        #expect(last?.exitCode == 69, "\(String(describing: last))")
        let run = try await CommandRun(["doctor", "--store", store, "--json"])
        #expect(run.exitCode == 1, "\(run)")
        let found = try findings(run)
        #expect(found["etcd alarms"]?.hasPrefix("fail NOSPACE") == true, "\(found)")
        #expect(found["etcd quota"]?.hasPrefix("warn ") == true, "\(found)")
        #expect(found["etcd read"]?.hasPrefix("ok ") == true, "\(found)")
    }
}
