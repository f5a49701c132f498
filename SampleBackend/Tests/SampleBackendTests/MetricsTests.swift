import Foundation
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// `/metrics` of the real process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct MetricsTests {
    private func lines(of backend: RunningBackend) async throws -> [String] {
        String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    @Test func onlyRoutesWithRequestsHaveSeries() async throws {
        let backend = try await RunningBackend(["--dev"])
        let fresh = try await lines(of: backend)
        #expect(fresh.count < 150, "\(fresh.count) lines")
        let hasRoutes = fresh.contains { $0.contains("route=") }
        #expect(!hasRoutes)
        #expect(try await backend.answer("/activeconfig/user/3").status == 200)
        let routes = Set(
            try await lines(of: backend).compactMap { line in
                line.split(separator: "route=\"").dropFirst().first?.prefix { $0 != "\"" }
            })
        #expect(routes == ["/activeconfig/user/{userID}", "/metrics"])
        _ = await backend.stop()
    }

    @Test func everyFamilyHasAHelpText() async throws {
        let backend = try await RunningBackend(["--dev", "--acknowledgements"])
        let answer = try await HTTPConnection.answer(
            port: backend.port, method: "POST", target: "/activeconfig/user/1/acknowledgement",
            body: #"{"template_version": 1, "problems": [{"section": "AppFeatures"}]}"#)
        #expect(answer.status == 204)
        func names(_ head: String, in lines: [String]) -> Set<Substring> {
            Set(lines.filter { $0.hasPrefix(head) }.map { $0.split(separator: " ")[2] })
        }
        let lines = try await lines(of: backend)
        #expect(names("# TYPE", in: lines).count > 20)
        #expect(names("# TYPE", in: lines) == names("# HELP", in: lines))
        _ = await backend.stop()
    }

    @Test func aDeletedProjectHasNoSeries() async throws {
        let backend = try await RunningBackend(["--dev", "--acknowledgements"])
        let path = "/v1/projects/default"
        let problem = #"{"template_version": 1, "problems": [{"section": "AppFeatures"}]}"#
        for (user, body) in [(1, problem), (2, #"{"template_version": 1}"#)] {
            let answer = try await HTTPConnection.answer(
                port: backend.port, method: "POST",
                target: "/activeconfig/user/\(user)/acknowledgement", body: body)
            #expect(answer.status == 204)
        }
        func series() async throws -> Set<Substring> {
            Set(
                try await lines(of: backend).filter { $0.contains(#"project="default""#) }
                    .compactMap { $0.split(separator: "{").first })
        }
        #expect(
            try await series() == [
                "activeconfig_template_version", "activeconfig_acknowledged_clients",
                "activeconfig_problem_clients", "activeconfig_problems",
            ])
        _ = try await backend.administer(
            "PATCH", "\(path)/details", body: #"{"archived": true}"#)
        #expect(try await backend.administer("DELETE", "\(path)?confirm=default").status == 200)
        #expect(try await series().isEmpty)
        _ = await backend.stop()
    }

    /// Prometheus' `increase` ignores the first value of a series, so counters must exist from the
    /// start.
    @Test func countersOfAlertsExistFromTheStart() async throws {
        let backend = try await RunningBackend()
        let lines = try await lines(of: backend)
        for series in [
            #"activeconfig_store_errors_total{operation="publish"}"#,
            #"activeconfig_store_errors_total{operation="watch"}"#,
            #"activeconfig_stream_refusals_total{reason="address"}"#,
            #"activeconfig_stream_refusals_total{reason="server"}"#,
            #"activeconfig_webhook_deliveries_total{outcome="failed"}"#,
            "activeconfig_stream_slow_readers_total", "activeconfig_connections_cut_off_total",
        ] {
            let exists = lines.contains("\(series) 0")
            #expect(exists, "\(series)")
        }
        _ = await backend.stop()
    }

    @Test func theSpaceOfADatabaseIsMeasured() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(store: folder.store, ["--dev"])
        func value(_ name: String) async throws -> Double? {
            try await lines(of: backend).first { $0.hasPrefix(name + " ") }?
                .split(separator: " ").last.flatMap { Double($0) }
        }
        let sizes = try ["test.sqlite", "test.sqlite-wal"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder.path($0))).count
        }
        #expect(try await value("activeconfig_store_bytes") == Double(sizes.reduce(0, +)))
        #expect(try await value("activeconfig_store_free_bytes") ?? 0 > 0)
        _ = await backend.stop()
    }
}
