import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// Query parameters of administrators' requests that change something (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RoleAccessTests {
    /// Endpoints of administrators that can change something, with a path to each.
    private static let writing = ConfigServer.endpoints.filter { endpoint in
        guard case .administrator = endpoint.access else { return false }
        return endpoint.method != "GET"
    }.map { endpoint in
        let path = endpoint.path.split(separator: "/")
            .map { $0.hasPrefix("{") ? "/default" + $0.drop { $0 != "}" }.dropFirst() : "/\($0)" }
            .joined()
        return (endpoint: endpoint, path: path.replacing("{project}", with: "default"))
    }

    @Test func aWriteWithAnUnknownQueryParameterIsRefusedAndChangesNothing() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for (endpoint, path) in Self.writing {
                for query in ["dryRun=true", "validateonly=true", "%ff", "=true"] {
                    let answer = try await server.administer(
                        endpoint.method, "\(path)?\(query)", body: .sample,
                        fields: ["If-Match: *"])
                    #expect(answer.status == 400, "\(endpoint.method) \(path)?\(query)")
                    #expect(
                        answer.error?.message.contains("query parameter") == true,
                        "\(endpoint.method) \(path)?\(query)")
                }
            }
            let versions = try await server.administer(
                "GET", "/v1/projects/default/remoteConfig:listVersions"
            ).json
            #expect(versions["versions"]?.arrayValue?.count == 1)
        }
    }

    @Test func aWriteTakesTheQueryParametersThatTheDescriptionNames() async throws {
        let description = try JSONNode(jsonData: OpenAPIDescription.jsonData)
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var count = 0
            for (endpoint, path) in Self.writing {
                let operation = description["paths"]?[endpoint.path]?[
                    endpoint.method.lowercased()]
                for parameter in operation?["parameters"]?.arrayValue ?? []
                where parameter["in"] == "query" {
                    let name = try #require(parameter["name"]?.stringValue)
                    let answer = try await server.administer(
                        endpoint.method, "\(path)?\(name)=1", body: .sample)
                    let message = answer.error?.message ?? ""
                    #expect(!message.hasPrefix("The query parameter \""), "\(path) \(name)")
                    count += 1
                }
            }
            #expect(count >= 3)
        }
    }

    /// Parameters that Google's client libraries add to every call.
    @Test(arguments: [
        "alt=json", "prettyPrint=false", "pretty_print=false", "%24.xgafv=2", "quotaUser=a",
        "key=x", "access_token=x", "callback=f", "oauth_token=x", "upload_type=media",
    ])
    func aWriteTakesTheParametersOfGooglesLibraries(query: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "PUT", "/v1/projects/default/remoteConfig?validateOnly=true&\(query)",
                body: .sample, fields: ["If-Match: *"])
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: [
        ("GET", "?version_number=1", 200), ("GET", "?version_number=x", 400),
        ("GET", ":listVersions?page_size=0", 400), ("GET", ":listVersions?page_token=x", 400),
        ("GET", ":listVersions?start_time=yesterday", 400),
        ("GET", ":listVersions?end_version_number=x", 400),
    ])
    func aQueryParameterMayBeInSnakeCase(method: String, suffix: String, status: Int) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer(
                method, "/v1/projects/default/remoteConfig" + suffix)
            #expect(answer.status == status)
        }
    }

    /// Of a repeated parameter, the server could read the value that the client did not mean.
    @Test(arguments: [
        "validateOnly=true&validateOnly=false", "validateOnly=true&validate_only=false",
        "validate_only&validateOnly=false", "alt=json;validateOnly=true",
    ])
    func aWriteWithADoubledOrAnAmbiguousParameterIsRefused(query: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "PUT", "/v1/projects/default/remoteConfig?" + query, body: .sample,
                fields: ["If-Match: *"])
            #expect(answer.status == 400)
            let current = try await server.administer("GET", "/v1/projects/default/remoteConfig")
            #expect(current.status == 404)
        }
    }
}
