import ArgumentParser
import Foundation
import JSONTree

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A type that listens for a user, and shows what it hears.
struct Watch {
    /// The shortest and the longest wait before the next connection, in milliseconds.
    private static let waits = 500...30_000

    /// What to listen to, and how to show it.
    private let command: WatchCommand

    /// What the user has.
    private var document = WatchedDocument(.null)

    /// The last version that was heard of.
    private var lastEventID: String?

    /// How many updates were shown.
    private var updates = 0

    /// Whether the server has answered at all.
    private var wasConnected = false

    /// How often in a row a connection came to nothing.
    private var failures = 0

    /// How many milliseconds the server wants its client to wait.
    private var wantedWait: Int?

    /// Makes a watch.
    ///
    /// - Parameter command: What to listen to, and how to show it.
    init(_ command: WatchCommand) {
        self.command = command
    }

    /// Whether enough was shown.
    private var isDone: Bool { command.count.map { updates >= $0 } ?? false }

    /// Listens, and comes back when the connection is lost.
    ///
    /// - Throws: A ``CommandFailure`` when the server refuses, or cannot be reached at the start.
    mutating func run() async throws {
        while !isDone {
            do {
                if !wasConnected { _ = try await fetch() }
                try await listen()
            } catch let failure as CommandFailure where !wasConnected || failure.isFinal {
                throw failure
            } catch let error where !wasConnected {
                throw CommandFailure(
                    "The server \(command.server) cannot be reached "
                        + "(\(error.localizedDescription)): start it with \"sample-backend serve\", "
                        + "or check --server.", code: Exit.unavailable)
            } catch {
                failures += 1
            }
            if !isDone { try await wait() }
        }
    }

    /// Listens until the connection ends.
    private mutating func listen() async throws {
        var fields = fields
        fields["Last-Event-ID"] = lastEventID
        let url = try url(suffix: "/events")
        var parser = StreamEventParser()
        for try await bytes in StreamConnection.open(url, fields: fields) {
            for event in try parser.read(bytes) {
                try await take(event)
                lastEventID = event.id ?? lastEventID
                if isDone { return }
            }
            if let retry = parser.retry, wantedWait == nil { wantedWait = retry }
        }
    }

    /// Shows an event.
    private mutating func take(_ event: StreamEvent) async throws {
        let data = try? JSONNode(jsonData: Data(event.data.utf8))
        if command.json {
            var line: JSONNode = ["event": .string(event.name)]
            line.setMember("id", event.id.map { .string($0) })
            line.setMember("data", data)
            Console.print("\(line)")
        }
        failures = 0
        switch event.name {
        case "hello" where !wasConnected:
            wasConnected = true
            say("Version \(event.id ?? "?") is current. Waiting for changes …", .dim)
        case "hello":
            say("Connected again: version \(event.id ?? "?") is current.", .dim)
        case "update":
            show(document.apply(data?["sections"] ?? .emptyObject), version: event.id)
        case "reset":
            show(try await fetch(), version: event.id)
        case "retry":
            wantedWait = data?["after_ms"]?.integerValue
            say("The server ends; connecting again in \(wantedWait ?? 0) ms …", .dim)
        default: break
        }
    }

    /// Shows what has changed, if anything has that was not known.
    private mutating func show(_ lines: [WatchedDocument.Line], version: String?) {
        guard !lines.isEmpty else { return }
        updates += 1
        guard !command.json else { return }
        let time = Date().formatted(.iso8601.time(includingFractionalSeconds: true))
        Console.print(
            Output.colored("Version \(version ?? "?")", .yellow) + "  "
                + Output.colored(time, .dim))
        for line in lines { Console.print(line.text) }
    }

    /// Says something that is no change, to people only.
    private func say(_ text: String, _ color: Output.Color) {
        if !command.json { Console.printError(Output.colored(text, color)) }
    }

    /// Takes over the user's document as it is now.
    ///
    /// - Returns: What has changed.
    private mutating func fetch() async throws -> [WatchedDocument.Line] {
        var request = URLRequest(url: try url(suffix: ""))
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let answer = AdministrationAnswer(
            status: status, entityTag: nil, warnings: [], body: body)
        guard status == 200 else { throw CommandFailure(answer) }
        let json = try answer.json
        // The stream then tells of all that comes behind this version.
        lastEventID = json["meta"]?["template_version"]?.integerValue.map(String.init)
        return document.replace(with: WatchedDocument(json))
    }

    /// Waits before the next connection: as the server wants, else longer each time.
    private mutating func wait() async throws {
        let limit = min(Self.waits.upperBound, Self.waits.lowerBound << min(failures, 6))
        let milliseconds = failures == 0 ? wantedWait ?? limit : Int.random(in: limit / 2...limit)
        wantedWait = nil
        try await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// What lets the client in.
    private var fields: [String: String] {
        var fields: [String: String] = [:]
        fields["X-API-Key"] = command.clientKey
        fields["Authorization"] = command.userToken.map { "Bearer \($0)" }
        return fields
    }

    /// The URL of the document, or of something below it.
    private func url(suffix: String) throws -> URL {
        let path = command.client.documentPath(inProject: command.project, suffix: suffix)
        let base =
            command.server.hasSuffix("/") ? String(command.server.dropLast()) : command.server
        guard let url = URL(string: base + path) else {
            throw CommandFailure(
                "\"\(base + path)\" is no URL: check --server.", code: Exit.failure)
        }
        return url
    }
}
