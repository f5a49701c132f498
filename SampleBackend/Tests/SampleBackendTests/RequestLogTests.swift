import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// The request log contains routes, but never users or tokens.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RequestLogTests {
    @Test func theLogNamesNoUserWhateverTheStatus() async throws {
        let backend = try await RunningBackend(
            ["--dev", "--log-level", "trace", "--rate-limit", "3"])
        let user = "ada-lovelace"
        let paths = [
            "/activeconfig/user/\(user)", "/activeconfig/user/\(user)/",
            "/activeconfig/user/\(user)/events", "/nothing/\(user)", "/\(user)",
            "/activeconfig/user/\(user)%zz", "/active_config?userID=\(user)",
            "/v1/projects/default/users/\(user)/overrides",
            "http://localhost/activeconfig/user/\(user)",
        ]
        var statuses: Set<Int> = []
        for path in paths {
            for method in ["GET", "POST", "DELETE"] {
                for fields in [
                    [], ["Content-Length: 99999999"], ["Host: localhost"],
                    ["X: \(String(repeating: "x", count: 200_000))"],
                ] {
                    let answer = try await HTTPConnection.open(port: backend.port) { connection in
                        connection.send(method: method, target: path, fields: fields)
                        return try await connection.receive(through: "\r\n")
                    }
                    statuses.insert(Int(answer.split(separator: " ")[1]) ?? 0)
                }
            }
        }
        #expect(statuses.isSuperset(of: [400, 429]), "\(statuses)")
        let log = await backend.stop()
        #expect(log.contains { $0.contains("status=429") })
        #expect(log.filter { $0.contains(user) } == [])
    }

    @Test func theLogNamesTheRouteOfARefusedRequest() async throws {
        let backend = try await RunningBackend(["--dev"])
        for target in [
            "/activeconfig/user/ada", "http://localhost/activeconfig/user/ada",
        ] {
            let answer = try await HTTPConnection.answer(
                port: backend.port, method: "GET", target: target,
                fields: ["Content-Length: 99999999"])
            #expect(answer.status == 413)
        }
        let log = await backend.stop().filter { $0.contains("status=413") }
        #expect(log.count == 2)
        #expect(log.allSatisfy { $0.contains("path=/activeconfig/user/{userID}") }, "\(log)")
    }
}
