import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// The log of an updater that a server refuses: one warning for each cause.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterFailureLogTests {
    private static let sentence = "Send the key of a service: this one is not known."
    private static let document = ConfigurationState.make(
        meta: ["format_version_string": "1.0", "template_version": 7], entityTag: "\"7\"")

    private let log = RecordingLog()
    private let clock = ManualClock()

    private var warnings: [String] { log.messages(ofLevel: .warning) }

    private func updater(
        _ source: any ActiveConfigEventSource, users: [String?] = ["a"]
    ) -> ActiveConfigUpdater {
        .make(.make(log: log.log), source: source, users: .fixed(users), clock: clock)
    }

    /// Runs an updater and advances its clock to each deadline until a condition is met.
    private func run(_ updater: ActiveConfigUpdater, until isMet: () -> Bool) async throws {
        let run = Task { await updater.run() }
        try await advance(until: isMet)
        run.cancel()
        _ = await run.value
    }

    private func advance(until isMet: () -> Bool) async throws {
        while !isMet() {
            if let next = clock.deadlines.first {
                clock.advance(by: clock.now.duration(to: next))
            }
            try await Task.sleep(for: .milliseconds(1))  // deadline: the test advances the clock
        }
    }

    private static func refusal(_ status: Int = 401) -> DownloadError {
        DownloadError(.httpStatus, status: status)
    }

    @Test func aWrongServiceKeyIsOneWarningForAllUsersWithTheServersSentence() async throws {
        let body =
            #"{"error":{"code":401,"status":"UNAUTHENTICATED","message":"\#(Self.sentence)"}}"#
        let server = try LoopbackServer(keepsAlive: true) { request in
            let (status, fields, text) =
                request.target.hasSuffix("/events")
                ? (401, "", body)
                : request.headers["if-none-match"] == "\"7\""
                    ? (304, "", "")
                    : (
                        200, "ETag: \"7\"\r\n",
                        String(decoding: Self.document.jsonData(), as: UTF8.self)
                    )
            return [
                .send(
                    "HTTP/1.1 \(status) S\r\nContent-Length: \(text.utf8.count)\r\n"
                        + "\(fields)\r\n\(text)")
            ]
        }
        defer { server.stop() }
        let source = ServiceEventSource(
            backend: ActiveConfigBackend(url: try server.url("/")),
            serviceCredentials: .apiKey("wrong-key"))
        try await run(updater(source, users: ["a", "b", "c"])) {
            server.requests.count { $0.target == "/activeconfig/events" } >= 4
        }
        #expect(warnings.count == 1, "\(warnings)")
        #expect(warnings.first?.contains(Self.sentence) == true, "\(warnings)")
        #expect(warnings.first?.contains("status 401") == true)
        #expect(!warnings.joined().contains("wrong-key"))
    }

    /// The step that the server refuses.
    enum Transport: CaseIterable {
        case document, stream, longPoll, poll
    }

    @Test(arguments: Transport.allCases)
    func eachCauseIsOneWarning(transport: Transport) async throws {
        let attempts = Locked(0)
        @Sendable func refuse() throws {
            let count = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            // The cause changes once.
            throw Self.refusal(count <= 3 ? 401 : 403)
        }
        let source = PreparedSource { userID in
            let documents = Locked(0)
            return PreparedConnection(
                userID,
                document: { lastKnown in
                    let count = documents.withLock { documents in
                        documents += 1
                        return documents
                    }
                    let isFirst = count == 1
                    switch transport {
                    case .document: try refuse()
                    case .longPoll where !isFirst: try refuse()
                    case .poll where lastKnown != nil: try refuse()
                    default: break
                    }
                    var new = Self.document
                    // Without an entity tag there are no long polls.
                    if transport == .poll { new.entityTag = nil }
                    return DocumentAnswer(lastKnown == nil ? new : nil)
                },
                opening: { _ in
                    if transport == .stream { try refuse() }
                    throw NoEventStreamError("the test has none")
                })
        }
        try await run(updater(source)) { attempts.withLock { $0 } >= 8 }
        #expect(warnings.count == 2, "\(warnings)")
        #expect(warnings.first?.contains("401") == true && warnings.last?.contains("403") == true)
    }

    @Test func causesThatAlternateAreOneWarningEach() async throws {
        let attempts = Locked(0)
        let source = PreparedSource { userID in
            PreparedConnection(userID) { _ in
                let count = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                throw Self.refusal(count.isMultiple(of: 2) ? 502 : 503)
            } opening: { _ in
                throw DownloadError(.connectionLost)
            }
        }
        try await run(updater(source)) { attempts.withLock { $0 } >= 8 }
        #expect(warnings.count == 2, "\(warnings)")
    }

    /// A step that succeeds and then fails again is logged again.
    @Test func aCauseThatReturnsIsLoggedAgain() async throws {
        let attempts = Locked(0)
        let source = PreparedSource { userID in
            PreparedConnection(userID) { _ in
                let count = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                if count != 4 { throw Self.refusal() }
                return DocumentAnswer(Self.document)
            } opening: { _ in
                throw DownloadError(.connectionLost)
            }
        }
        try await run(updater(source)) { attempts.withLock { $0 } >= 8 }
        #expect(warnings.count == 2, "\(warnings)")
    }

    /// A network that is lost now and then is not the server's fault.
    @Test func aStreamThatIsLostIsNoWarning() async throws {
        let attempts = Locked(0)
        let source = PreparedSource { userID in
            PreparedConnection(userID) { _ in
                DocumentAnswer(Self.document)
            } opening: { _ in
                attempts.withLock { $0 += 1 }
                throw DownloadError(.connectionLost)
            }
        }
        try await run(updater(source)) { attempts.withLock { $0 } >= 4 }
        #expect(warnings == [])
    }

    /// An event that cannot be parsed ends the stream each time.
    @Test func aStreamThatCannotBeReadIsOneWarning() async throws {
        let attempts = Locked(0)
        let source = PreparedSource { userID in
            let connection = PreparedConnection(userID) { _ in DocumentAnswer(Self.document) }
            connection.send("event: update\ndata: {\n\n")
            attempts.withLock { $0 += 1 }
            return connection
        }
        try await run(updater(source)) { attempts.withLock { $0 } >= 4 }
        #expect((1...2).contains(warnings.count), "\(warnings)")
    }

    /// A source whose streams are refused, each time with the next message.
    private static func refusing(
        _ attempts: Locked<Int>, _ message: @escaping @Sendable () -> String? = { nil }
    ) -> PreparedSource {
        PreparedSource { userID in
            PreparedConnection(userID) { _ in
                DocumentAnswer(Self.document)
            } opening: { _ in
                attempts.withLock { $0 += 1 }
                throw DownloadError(.httpStatus, status: 401, serverMessage: message())
            }
        }
    }

    @Test func aRestartedUpdaterWarnsAgain() async throws {
        let attempts = Locked(0)
        let updater = updater(Self.refusing(attempts))
        for round in 1...2 {
            try await run(updater) { attempts.withLock { $0 } >= 3 * round }
            #expect(warnings.count == round, "\(warnings)")
        }
    }

    @Test func theIDOfARequestIsNoNewCause() async throws {
        let attempts = Locked(0)
        let source = Self.refusing(attempts) { "Unknown key (request \(UUID().uuidString))." }
        try await run(updater(source)) { attempts.withLock { $0 } >= 6 }
        #expect(warnings.count == 1, "\(warnings)")
    }
}
