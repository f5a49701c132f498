import ActiveConfig
import ActiveConfigEvaluation
import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import InMemoryTemplateStore
import Logging
import ServiceLifecycle

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension SettingKey<Bool> {
    fileprivate static let isOn = SettingKey("Section 0", "isOn", default: false)
}

extension SettingKey<Int> {
    fileprivate static let limit = SettingKey("Section 0", "limit", default: 0)
}

extension SettingKey<String> {
    fileprivate static let title = SettingKey("Section 0", "title", default: "")
}

/// Measures evaluations of different users by an evaluator that follows a server in this process, on one
/// thread.
@main
struct EvaluationBenchmark: AsyncParsableCommand {
    @Option(help: "Number of different users.")
    var users = 1_000_000

    @Option(help: "Number of conditions.")
    var conditions = 100

    @Option(help: "Number of sections with ten settings each.")
    var sections = 10

    @Flag(help: "Exits with 1 when an evaluation takes more than 10 µs.")
    var check = false

    private static let token = "a-token-for-benchmarks-0123456789"

    func run() async throws {
        var options = ConfigServerOptions(port: 0)
        options.administratorToken = SecretHash(of: Self.token)
        let logger = Logger(label: "server") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try await ConfigServer(
            store: InMemoryTemplateStore(), options: options, logger: logger
        ) { port.yield($0.port) }
        let group = ServiceGroup(services: [server], logger: logger)
        let serving = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next(), let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw ExitCode.failure }
        var isOverLimit = false
        for (name, percents) in [("users share documents", 0), ("all documents differ", 25)] {
            try await publish(template(percents: percents), to: url)
            let evaluator = TemplateEvaluator(
                backend: url, credentials: .bearerToken { _ in Self.token })
            try await evaluator.load()
            let nanoseconds = measure(evaluator)
            print("\(name): \(Int(nanoseconds)) ns per evaluation with 3 reads")
            isOverLimit = isOverLimit || nanoseconds > 10_000
        }
        await group.triggerGracefulShutdown()
        try await serving.value
        if check, isOverLimit { throw ExitCode.failure }
    }

    /// The time of an evaluation with three reads, in nanoseconds.
    private func measure(_ evaluator: TemplateEvaluator) -> Double {
        let signals = (0..<1_000).map { index -> EvaluationSignals in
            [
                "app.version": "2.\(index % 7).1", "app.build": "\(index)", "device.os": "ios",
                "device.country": index % 3 == 0 ? "JP" : "DE", "device.language": "de-DE",
                "signal.plan": index % 2 == 0 ? "gold" : "free", "signal.visits": "\(index % 11)",
            ]
        }
        var sum = 0
        for user in 0..<min(users, 10_000) {
            let settings = evaluator.configuration(
                forUserID: "u\(user)", signals: signals[user % 1_000])
            sum &+= settings[.limit]
        }
        let time = ContinuousClock().measure {
            for user in 0..<users {
                let settings = evaluator.configuration(
                    forUserID: "user-\(user)", signals: signals[user % 1_000])
                sum &+=
                    settings[.limit] &+ (settings[.isOn] ? 1 : 0)
                    &+ settings[.title].utf8.count
            }
        }
        precondition(sum != .min)
        return time / .nanoseconds(1) / Double(users)
    }

    private func publish(_ template: String, to url: URL) async throws {
        var request = URLRequest(
            url: url.appending(path: "v1/projects/default/remoteConfig"))
        request.httpMethod = "PUT"
        request.setValue("Bearer \(Self.token)", forHTTPHeaderField: "Authorization")
        request.setValue("*", forHTTPHeaderField: "If-Match")
        request.httpBody = Data(template.utf8)
        let (body, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            print(String(decoding: body, as: UTF8.self))
            throw ExitCode.failure
        }
    }

    /// A template in which each setting has values for two conditions.
    ///
    /// With a number of percentages of seeds of their own, hardly two users have the same results.
    private func template(percents: Int) -> String {
        let expressions = (0..<conditions).map { expression($0, percents: percents) }
        let conditionTexts = expressions.enumerated().map {
            #"{"name": "c\#($0)", "expression": "\#($1)"}"#
        }
        let groups = (0..<sections).map { section in
            let parameters = (0..<10).map { number in
                let (name, type, value, other) =
                    switch number {
                    case 0: ("isOn", "BOOLEAN", "false", "true")
                    case 1: ("limit", "NUMBER", "5", "7")
                    case 2: ("title", "STRING", "Hello", "こんにちは")
                    default: ("text_\(number)", "STRING", "default \(number)", "other \(number)")
                    }
                let first = (section * 10 + number) % max(conditions, 1)
                let second = (section * 10 + number + 50) % max(conditions, 1)
                let conditional = Set(conditions == 0 ? [] : [first, second]).sorted().map {
                    #""c\#($0)": {"value": "\#(other)"}"#
                }.joined(separator: ",")
                return #""\#(name)": {"valueType": "\#(type)", "#
                    + #""defaultValue": {"value": "\#(value)"}, "#
                    + #""conditionalValues": {\#(conditional)}}"#
            }
            return
                #""Section \#(section)": {"parameters": {\#(parameters.joined(separator: ","))}}"#
        }
        return #"{"conditions": [\#(conditionTexts.joined(separator: ","))], "#
            + #""parameterGroups": {\#(groups.joined(separator: ","))}}"#
    }

    private func expression(_ index: Int, percents: Int) -> String {
        if index % 4 == 0 {
            return index / 4 < percents
                ? "percent('s\(index)') <= \(index % 90 + 5)" : "device.os == 'ios'"
        }
        return switch index % 12 {
        case 1: "app.version.>=(['\(index / 5).\(index).0'])"
        case 2: "app.version.<(['3.\(index)'])"
        case 3: "app.build.>(['\(index * 10)']) && device.os == 'ios'"
        case 5: "device.country in ['JP', 'US', 'FR']"
        case 6: "device.language in ['de-DE', 'ja'] && device.country in ['DE', 'US']"
        case 7: "app.customSignal['visits'] >= \(index % 12)"
        case 9: "app.customSignal['plan'].exactlyMatches(['gold'])"
        case 10: "app.customSignal['plan'].contains(['pro', 'gold\(index)'])"
        default: "app.version.exactlyMatches(['2.4.1', '2.\(index).0'])"
        }
    }
}
