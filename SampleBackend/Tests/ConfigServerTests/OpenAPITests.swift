import Foundation
import JSONTree
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Agreement of the OpenAPI description with the routes.
@Suite struct OpenAPITests {
    @Test func theDescriptionListsEachEndpointAndNoOther() async throws {
        let description = try JSONNode(jsonData: OpenAPIDescription.jsonData)
        var described: Set<String> = []
        for (path, item) in try #require(description["paths"]?.objectValue) {
            for method in try #require(item.objectValue).names {
                described.insert("\(method.uppercased()) \(path)")
            }
        }
        let served = Set(Self.endpoints.map { "\($0.method) \($0.path)" })
        #expect(described == served)
    }

    @Test func theDescriptionNamesTheRoleForEachEndpoint() async throws {
        let description = try JSONNode(jsonData: OpenAPIDescription.jsonData)
        for endpoint in Self.endpoints {
            let operation = try #require(
                description["paths"]?[endpoint.path]?[endpoint.method.lowercased()])
            let text = operation["description"]?.stringValue ?? ""
            switch endpoint.access {
            case .administrator(let role):
                #expect(text.contains("the role \(role.rawValue) "), "\(endpoint)")
                #expect(operation["security"] == [["bearer": []]], "\(endpoint)")
            case .client:
                #expect(operation["security"]?.arrayValue?.count == 3, "\(endpoint)")
            case .service:
                #expect(
                    operation["security"] == [["clientKey": []], ["bearer": []]], "\(endpoint)")
            case .open:
                let showsSession = endpoint.method == "GET" && endpoint.path == "/console/session"
                #expect(operation["security"] == (showsSession ? [["session": []], [:]] : []))
            }
        }
    }

    /// A call that may change something refuses any other parameter.
    @Test func theDescriptionNamesTheQueryParametersOfEachChange() async throws {
        let description = try JSONNode(jsonData: OpenAPIDescription.jsonData)
        for endpoint in Self.endpoints where !endpoint.query.isEmpty || endpoint.isChange {
            let operation = try #require(
                description["paths"]?[endpoint.path]?[endpoint.method.lowercased()])
            let shared = description["components"]?["parameters"]
            var named: [String] = []
            for parameter in operation["parameters"]?.arrayValue ?? [] {
                let name = parameter["$ref"]?.stringValue?.split(separator: "/").last
                let described = name.flatMap { shared?[String($0)] } ?? parameter
                guard described["in"] == "query" else { continue }
                named += [described["name"]?.stringValue].compactMap { $0 }
            }
            #expect(Set(named) == Set(endpoint.query), "\(endpoint)")
        }
    }

    /// Any body can be too large, or be compressed.
    @Test func theDescriptionOfEachBodyHasTheAnswersToAnyBody() async throws {
        let description = try JSONNode(jsonData: OpenAPIDescription.jsonData)
        var count = 0
        for (path, item) in try #require(description["paths"]?.objectValue) {
            for (method, operation) in item.objectValue ?? [:]
            where operation["requestBody"] != nil {
                for status in ["400", "413", "415"] {
                    #expect(
                        operation["responses"]?[status] != nil, "\(method) \(path) \(status)")
                }
                count += 1
            }
        }
        #expect(count > 20)
    }

    @Test func eachReferenceOfTheDescriptionHasATarget() throws {
        let description = try JSONNode(jsonData: OpenAPIDescription.jsonData)
        var rest = [description]
        while let node = rest.popLast() {
            rest += node.arrayValue ?? []
            for (name, value) in node.objectValue ?? [:] {
                rest.append(value)
                guard name == "$ref", let reference = value.stringValue else { continue }
                let target = reference.split(separator: "/").dropFirst()
                    .reduce(description as JSONNode?) { $0?[String($1)] }
                #expect(target != nil, "\(reference)")
            }
        }
    }

    private static let endpoints = ConfigServer.endpoints
}

extension ConfigServer.Endpoint {
    /// True for a call of administrators that may change something.
    fileprivate var isChange: Bool {
        guard case .administrator = access else { return false }
        return method != "GET"
    }
}
