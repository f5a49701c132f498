import ActiveConfigEvaluation
import ActiveConfigRealtime
import Foundation
import InMemoryTemplateStore
import JSONTree
import Logging
import SeededRandomness
import ServerTestSupport
import ServiceLifecycle
import TemporaryFolders
import Testing

/// The service of the page *Evaluating in a service*.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UploadServiceTests {
    @Test func itAnswersEachUserByTheTemplate() async throws {
        let folder = try TemporaryFolder()
        let template: JSONNode = [
            "conditions": [["name": "japan", "expression": "device.country in ['JP']"]],
            "parameterGroups": [
                "Uploads": [
                    "parameters": [
                        "limit": [
                            "valueType": "NUMBER", "defaultValue": ["value": "20"],
                            "conditionalValues": ["japan": ["value": "50"]],
                        ]
                    ]
                ]
            ],
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.publish(template).status == 200)
            let service = UploadService(
                server: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
                token: RunningServer.administratorToken, folder: folder.url)
            #expect(service.limit(ofUser: "42", in: "JP") == 10)
            let run = Task { await service.run() }
            try await waitUntil { service.limit(ofUser: "42", in: "JP") == 50 }
            #expect(service.limit(ofUser: "42", in: "DE") == 20)
            run.cancel()
            await run.value
        }
    }

    @Test func itFollowsAServerThatIsDownAtTheFirstStart() async throws {
        let folder = try TemporaryFolder()
        let service = UploadService(
            server: try #require(URL(string: "http://127.0.0.1:1")), token: "none",
            folder: folder.url)
        let run = Task { await service.run() }
        try await waitUntil {
            if case .waiting = service.evaluator.status.connection { return true }
            return false
        }
        #expect(service.limit(ofUser: "42", in: "JP") == 10)
        run.cancel()
        await run.value
    }

    private struct FailingService: Service {
        struct Failure: Error {}

        func run() async throws { throw Failure() }
    }

    /// The group of the page loads the template first, and ends with its services.
    @Test func aGroupEndsTheEvaluator() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.publish(["parameters": [:]]).status == 200)
            let service = UploadService(
                server: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
                token: RunningServer.administratorToken, folder: folder.url)
            await #expect(throws: FailingService.Failure.self) {
                try await run(
                    [FailingService()], following: service.evaluator,
                    Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            }
            #expect(service.evaluator.status.templateVersion == 1)
        }
    }
}
