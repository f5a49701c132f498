import ArgumentParser
import ClientAPI
import ConfigServer
import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOCore
import Rendering
import Targeting
import TemplateStore
import Templates

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@main
struct RequestStages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "RequestStages",
        abstract: "Measures requests for documents beside a bare SwiftNIO handler.",
        subcommands: [Stages.self, Bare.self], defaultSubcommand: Stages.self)
}

/// Measures the processor time of a request for a document, and of its stages, without a socket.
struct Stages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Prints the processor time of a request for a document and of each of its stages, in "
            + "microseconds, beside that of a bare SwiftNIO handler.",
        discussion: "TEMPLATE is made by Tests/Load/template.py.")

    @Argument(help: "A template in JSON.") var template: String
    @Option(help: "Repetitions of each stage.") var count = 100_000
    @Option(help: "Rounds, of which the median is printed.") var rounds = 5
    @Option(help: "Measures this stage only.") var only: String?
    @Option(help: "Threads that send requests, each on its connection.") var threads = 1

    /// The target of a request as apps send it, with the number of the user.
    private static func target(_ number: Int) -> String {
        "/activeconfig/user/user-\(number)?app.version=2.3.1&device.os=ios&device.country=JP"
            + "&device.language=ja&signal.plan=gold&signal.level=42&signal.city=Tokyo"
    }

    func run() async throws {
        let content = try Data(contentsOf: URL(filePath: template))
        let logger = Logger(label: "stages") { _ in SwiftLogNoOpLogHandler() }
        let store = InMemoryTemplateStore()
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: content, expectation: .any, date: Date(),
                user: .init(name: nil)))
        let server = try await ConfigServer(store: store, logger: logger)
        let library = TemplateLibrary(store: store, logger: logger)
        try await library.load()
        let compiled = CompiledTemplate(
            try ValidatedTemplate(jsonData: content),
            version: TemplateVersion(number: 1, updateTime: Date()))
        let project = PublishedProject(compiled)

        let targets = (0..<1_000).map(Self.target)
        let requests = targets.map {
            ByteBuffer(string: "GET \($0) HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")
        }
        let parsed = try targets.map { try RequestTarget($0) }
        let contexts = try parsed.enumerated().map { number, target in
            TargetingContext(
                userID: "user-\(number)", signals: try Signals(query: target.query), date: Date())
        }
        let size = project.rendered(for: contexts[0]).document.jsonBytes.readableBytes
        Swift.print(
            "a document of \(size) bytes, \(compiled.conditions.conditions.count) conditions")
        measure("bare handler", requests) {
            try BareConnection(ByteBuffer(repeating: UInt8(ascii: "a"), count: size))
        }
        measure("request", requests) { try ServedConnection(server) }
        try measure("head → target, query") { _ = try RequestTarget(targets[$0]) }
        try measure("query → signals") { _ = try Signals(query: parsed[$0].query) }
        measure("conditions") { _ = compiled.conditions.evaluate(contexts[$0]) }
        measure("conditions → document") { _ = project.rendered(for: contexts[$0]) }
        try measure("library, signals → document") { number in
            _ = try library.document(
                inProject: "default", forUserID: contexts[number].userID,
                signals: contexts[number].signals)
        }
    }

    /// Prints the processor time of a request, which does not include the waits for locks of other
    /// threads.
    private func measure<Connection: MeasuredConnection & SendableMetatype>(
        _ name: String, _ requests: [ByteBuffer], _ connect: @Sendable () throws -> Connection
    ) {
        guard only == nil || only == name else { return }
        let rounds = (0..<max(rounds, 1)).map { _ in
            let start = Self.processorTime
            DispatchQueue.concurrentPerform(iterations: threads) { _ in
                do {
                    let connection = try connect()
                    for number in 0..<count { try connection.answer(requests[number % 1_000]) }
                } catch {
                    fatalError("\(error)")
                }
            }
            return (Self.processorTime - start) / Double(count * threads)
        }
        print(name, rounds)
    }

    /// Prints the median of the rounds' times for one of 1,000 numbers, in microseconds.
    private func measure(_ name: String, _ body: (Int) throws -> Void) rethrows {
        guard only == nil || only == name else { return }
        for number in 0..<1_000 { try body(number) }
        var times: [Double] = []
        for _ in 0..<max(rounds, 1) {
            let start = Self.processorTime
            for number in 0..<count { try body(number % 1_000) }
            times.append((Self.processorTime - start) / Double(count))
        }
        print(name, times)
    }

    /// Prints the median of times in seconds.
    private func print(_ name: String, _ times: [Double]) {
        let median = times.sorted()[times.count / 2] * 1e6
        Swift.print(
            name.padding(toLength: 30, withPad: " ", startingAt: 0)
                + String(format: "%7.2f µs", median))
    }

    /// The processor time of the process in seconds.
    private static var processorTime: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
