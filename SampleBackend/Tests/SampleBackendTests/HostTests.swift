import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// Host names that a server accepts: a page whose name resolves to this machine receives nothing
/// (DNS rebinding).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct HostTests {
    /// Status of a request with the given `Host` field.
    private static func status(
        _ host: String, _ target: String = "/activeconfig", port: Int
    ) async throws -> Int? {
        try await HTTPConnection.open(port: port) { connection in
            connection.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
            let line = try await connection.receive(through: "\r\n")
            return Int(line.split(separator: " ")[1])
        }
    }

    @Test func eachRequestOfAConnectionIsChecked() async throws {
        let backend = try await RunningBackend(["--dev"])
        for (target, host) in [
            ("/activeconfig", "evil.example"), ("http://evil.example/activeconfig", "localhost"),
        ] {
            try await HTTPConnection.open(port: backend.port) { connection in
                for _ in 0..<2 {
                    connection.send("GET /activeconfig HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let answer = try await connection.receive()
                    #expect(answer.status == 200)
                }
                connection.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                let refusal = try await connection.receive()
                #expect(refusal.status == 421)
            }
        }
        _ = await backend.stop()
    }

    @Test func anOpenServerAnswersToThisMachineAlone() async throws {
        let backend = try await RunningBackend([
            "--dev", "--open", "--allowed-host", "Config.Example",
        ])
        let port = backend.port
        for host in [
            "127.0.0.1:\(port)", "127.0.0.1", "localhost:\(port)", "LOCALHOST", "localhost.",
            "[::1]:\(port)", "127.1.2.3", "config.example", "config.example:443", "a.localhost",
        ] {
            #expect(try await Self.status(host, port: port) == 200, "\(host)")
        }
        for host in [
            "evil.example", "evil.example:\(port)", "127.0.0.1.evil.example",
            "localhost.evil.example",
            "127.evil.example", "192.168.1.1", "", ":80", "[::1", "[fe80::1]", "x@localhost",
            "127.0.0.1:\(port)@evil.example", "127.0.0.1:@evil.example", "127.0.0.1:80:80",
            "127.0.0.1:x", "127.0.0.1:+80", "127.0.0.1:65536", "127.0.0.1: 80", "::1",
            "[::1]@evil.example", "[::1]:80@evil.example", "[::1]:x", "[]", "[127.0.0.1]",
            "[evil:.localhost]", "evil.example@a.localhost", "evil.example/.localhost",
            "evil.example#.localhost", "evil.example?.localhost", "evil example.localhost",
            "evil.example\\.localhost",
        ] {
            for target in [
                "/activeconfig", "/activeconfig/events", "/v1/projects", "/console/", "/metrics",
                "http://localhost/activeconfig",
            ] {
                #expect(try await Self.status(host, target, port: port) == 421, "\(host) \(target)")
            }
        }
        for authority in [
            "evil.example", "127.0.0.1:\(port)@evil.example", "evil.example@a.localhost",
        ] {
            let target = "http://\(authority)/activeconfig"
            #expect(try await Self.status("localhost", target, port: port) == 421, "\(target)")
        }
        _ = await backend.stop()
    }

    @Test func aServerWithAKeyAnswersToEveryNameButInTheConsole() async throws {
        let backend = try await RunningBackend(["--dev", "--client-key", "key"])
        let port = backend.port
        for (target, status) in [
            ("/activeconfig", 401), ("/health/live", 200), ("/v1/projects", 401),
            ("/console/", 421), ("/console/session", 421), ("/", 421), ("/%63onsole/", 421),
        ] {
            #expect(
                try await Self.status("evil.example", target, port: port) == status, "\(target)")
        }
        #expect(try await Self.status("localhost", "/console/", port: port) == 200)
        _ = await backend.stop()
    }
}
