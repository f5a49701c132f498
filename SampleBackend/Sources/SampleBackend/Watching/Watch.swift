import ActiveConfigEventStream
import AsyncHTTPClient
import Foundation
import HTTPServing
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1

/// Follows a user's stream and prints the changes.
struct Watch {
    /// Time without data after which the connection counts as lost; a server sends data every 15
    /// seconds.
    private static let silence: TimeAmount = .seconds(45)

    /// Maximum length of a line of the stream, and of the data of an event, in bytes.
    private static let maximumBytes = 64 << 20

    /// Bounds of the client's own reconnection delay, in milliseconds; a server can lengthen it but
    /// not shorten it.
    private static let waits = 500...30_000

    /// Maximum length of an event ID that is sent back, in bytes.
    private static let maximumIDBytes = 1_024

    /// Maximum reconnection delay that a server may request, in seconds.
    private static let maximumWantedWait = 3_600

    private let command: WatchCommand

    /// The user's document as of the last event.
    private var document = WatchedDocument(.null)

    /// The ID of the last event or document, for `Last-Event-ID`.
    private var lastEventID: String?

    /// Number of printed updates.
    private var updates = 0

    /// True once any connection has succeeded.
    private var wasConnected = false

    /// Number of consecutive failed connections.
    private var failures = 0

    /// The reconnection delay that the server requested, in milliseconds.
    private var wantedWait: Int? {
        didSet { wantedWait = wantedWait.map { min(max(0, $0), Self.maximumWantedWait * 1_000) } }
    }

    init(_ command: WatchCommand) {
        self.command = command
    }

    /// True once `--count` updates are printed.
    private var isDone: Bool { command.count.map { updates >= $0 } ?? false }

    /// Listens, and reconnects when the connection is lost.
    ///
    /// - Throws: A ``CommandFailure`` when the server refuses, or cannot be reached at the start.
    mutating func run() async throws {
        let transport = try command.connection.transport(
            token: command.userToken, timeout: Self.silence)
        do {
            try await run(with: transport)
            await transport.close()
        } catch {
            await transport.close()
            throw error
        }
    }

    private mutating func run(with transport: ServerTransport) async throws {
        while !isDone {
            do {
                if !wasConnected { _ = try await fetch(with: transport) }
                try await listen(with: transport)
            } catch let failure as CommandFailure where !wasConnected || failure.isFinal {
                throw failure
            } catch let error where !wasConnected {
                throw await transport.failure(error)
            } catch {
                failures += 1
                if failures == 1 {
                    let failure: CommandFailure
                    if let known = error as? CommandFailure {
                        failure = known
                    } else {
                        failure = await transport.failure(error)
                    }
                    say("\(failure) Retrying …", .dim)
                }
            }
            if !isDone { try await wait() }
        }
    }

    /// Listens until the connection ends.
    private mutating func listen(with transport: ServerTransport) async throws {
        var parser = EventStreamParser(maximumBytes: Self.maximumBytes)
        var isUnderstood = false
        for try await bytes in try await response(of: "/events", with: transport).body {
            parser.append(bytes.readableBytesView)
            while let element = try Self.next(of: &parser) {
                switch element {
                case .event(let event):
                    guard try await take(event, transport: transport) else { continue }
                    isUnderstood = true
                    lastEventID = event.id.flatMap(Self.sendable) ?? lastEventID
                case .retry(let milliseconds): wantedWait = milliseconds
                case .comment: break
                }
                if isDone { return }
            }
        }
        if !isUnderstood { throw Self.noEvents }
    }

    /// The ID, if it is valid in a header field.
    private static func sendable(_ id: String) -> String? {
        let isSendable =
            id.utf8.count <= maximumIDBytes && id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return isSendable ? id : nil
    }

    private static let noEvents = CommandFailure(
        "The server's response is not an event stream: check --server.", code: Exit.unavailable)

    /// The next element of the stream; throws a ``CommandFailure`` when it is too long.
    private static func next(
        of parser: inout EventStreamParser
    ) throws -> EventStreamParser.Element? {
        do {
            return try parser.next()
        } catch {
            throw noEvents
        }
    }

    /// Requests the document, or with a suffix such as `/events` a resource below it; throws a
    /// ``CommandFailure`` when the server rejects the request.
    private mutating func response(
        of suffix: String, with transport: ServerTransport
    ) async throws -> HTTPClientResponse {
        var fields = HTTPHeaders()
        if let key = command.sentClientKey { fields.add(name: "X-API-Key", value: key.text) }
        if let lastEventID, !lastEventID.isEmpty {
            fields.add(name: "Last-Event-ID", value: lastEventID)
        }
        let path = command.client.documentPath(inProject: command.project, suffix: suffix)
        let response = try await transport.response(
            to: AdministrationRequest(path: path), fields: fields)
        guard response.status == .ok else {
            wantedWait = response.headers.first(name: "Retry-After").flatMap { Int($0) }
                .map { min(max(0, $0), Self.maximumWantedWait) * 1_000 }
            throw CommandFailure(
                try await transport.answer(response), credentials: "--client-key or --user-token")
        }
        return response
    }

    /// Prints an event; false if its name is unknown.
    private mutating func take(
        _ event: ServerEvent, transport: ServerTransport
    ) async throws -> Bool {
        let data = try? JSONNode(jsonData: Data(event.data))
        if command.json {
            var line: JSONNode = ["event": .string(event.name)]
            line.setMember("id", event.id.map { .string($0) })
            line.setMember("data", data)
            Output.printLine(line)
        }
        switch event.name {
        case "hello":
            // Its ID is the version from which this client resumes.
            let version = data?["template_version"]?.integerValue.map { "\($0)" } ?? "?"
            say(
                wasConnected
                    ? "Reconnected: version \(version) is current."
                    : "Version \(version) is current. Waiting for changes …", .dim)
            wasConnected = true
        case "update":
            show(document.apply(data?["sections"] ?? .emptyObject), version: event.id)
        case "reset":
            show(try await fetch(with: transport), version: event.id)
        case "retry":
            wantedWait = data?["after_ms"]?.integerValue ?? wantedWait
            say("The server is shutting down; reconnecting …", .dim)
        default: return false
        }
        failures = 0
        return true
    }

    /// Prints the changes, if there are any.
    private mutating func show(_ lines: [WatchedDocument.Line], version: String?) {
        guard !lines.isEmpty else { return }
        updates += 1
        guard !command.json else { return }
        let time = Date().formatted(.iso8601.time(includingFractionalSeconds: true))
        Terminal.print(
            Terminal.colored("Version \(version ?? "?")", .yellow) + "  "
                + Terminal.colored(time, .dim))
        for line in lines { Terminal.print(line.text) }
    }

    /// Prints a status message, unless the output is JSON.
    private func say(_ text: String, _ color: Terminal.Color) {
        if !command.json { Terminal.printError(Terminal.colored(text, color)) }
    }

    /// Downloads the user's document and returns what changed.
    private mutating func fetch(
        with transport: ServerTransport
    ) async throws -> [WatchedDocument.Line] {
        let response = try await response(of: "", with: transport)
        let json = try await transport.answer(response).json
        // The stream then starts after this version.
        lastEventID = json["meta"]?["template_version"]?.integerValue.map(String.init)
        return document.replace(with: WatchedDocument(json))
    }

    /// Waits before reconnecting: for the time that the server requested, and after failures at
    /// least for a random, exponentially growing time.
    private mutating func wait() async throws {
        let limit = min(Self.waits.upperBound, Self.waits.lowerBound << min(failures, 6))
        let own = failures == 0 ? limit : Int.random(in: limit / 2...limit)
        let milliseconds = max(wantedWait ?? 0, own)
        wantedWait = nil
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
