import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Limits and closing of one connection.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConnectionTests {
    @Test func theServerAnswersPipelinedRequestsInTheirOrder() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                for userID in 1...50 { connection.send(target: "/activeconfig/user/u\(userID)") }
                for userID in 1...50 {
                    let body = try await connection.receive().body
                    #expect(String(decoding: body, as: UTF8.self).contains("user ID u\(userID)\""))
                }
            }
        }
    }

    @Test func theServerFirstAnswersTheRequestsBeforeABrokenOne() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/activeconfig")
                connection.send(target: "/activeconfig/user/1")
                connection.send("nonsense\r\n\r\n")
                #expect(await connection.receiveStatus() == 200)
                #expect(await connection.receiveStatus() == 200)
                #expect(await connection.receiveStatus() == 400)
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func everyAnswerHasADate() async throws {
        try await RunningServer.with { server in
            for target in ["/activeconfig", "/health/live", "/nothing"] {
                let date = try #require(try await server.answer(target).fields["date"])
                let format = Date.VerbatimFormatStyle(
                    format: """
                        \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \
                        \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\
                        \(minute: .twoDigits):\(second: .twoDigits) GMT
                        """,
                    locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
                    calendar: Calendar(identifier: .gregorian))
                #expect(
                    // deadline: the response has just arrived
                    try abs(Date(date, strategy: format.parseStrategy).timeIntervalSinceNow) < 60)
            }
        }
    }

    @Test func theDateOfAnswersChangesAsTimePasses() async throws {
        try await RunningServer.with { server in
            func date() async throws -> String? {
                try await server.answer("/health/live").fields["date"]
            }
            let first = try await date()
            let end = ContinuousClock.now + .seconds(60)
            var last = first
            try await waitUntil {
                last = try await date()
                // deadline: sixty times the usual duration
                return last != first || ContinuousClock.now > end
            }
            #expect(last != first)
        }
    }

    /// Requests after which the server closes the connection.
    static let lastRequests: [NamedRow<String>] = [
        .init("HTTP/1.0", "GET /activeconfig HTTP/1.0\r\n\r\n"),
        .init("close", "GET /activeconfig HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        .init("Close", "GET /activeconfig HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n"),
        .init(
            "upgrade",
            "GET /activeconfig HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\n\r\n"),
        .init(
            "HTTP/1.0 with a transfer coding",
            "GET /activeconfig HTTP/1.0\r\nConnection: keep-alive\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .init("half closed", "GET /activeconfig HTTP/1.1\r\nHost: a\r\n\r\n"),
    ]

    @Test(arguments: lastRequests)
    func theServerClosesAConnectionAfterItsLastRequest(row: NamedRow<String>) async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(row.value)
                if row.name == "half closed" { try await connection.finishSending() }
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                #expect(answer.fields["connection"] == (row.name == "half closed" ? nil : "close"))
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func theServerKeepsAnHTTP10ConnectionOpenOnRequest() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                let request = "GET /activeconfig HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
                for _ in 1...2 {
                    connection.send(request)
                    let answer = try await connection.receive()
                    #expect(answer.status == 200)
                    #expect(answer.fields["connection"] == "keep-alive")
                }
                // Pipelined, with a refusal that keeps the connection.
                let missing = request.replacing("/activeconfig", with: "/nothing")
                let last = "GET /activeconfig HTTP/1.0\r\n\r\n"
                connection.send(request + missing + request + last)
                for (status, connectionField) in [
                    (200, "keep-alive"), (404, "keep-alive"), (200, "keep-alive"), (200, "close"),
                ] {
                    let answer = try await connection.receive()
                    #expect(answer.status == status)
                    #expect(answer.fields["connection"] == connectionField)
                }
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func anHTTP11ConnectionIsKeptWithoutAField() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/activeconfig", fields: ["Connection: keep-alive"])
                let answer = try await connection.receive()
                #expect(answer.fields["connection"] == nil)
            }
        }
    }

    @Test func theServerTellsAWaitingClientToSendItsBody() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    target: "/activeconfig",
                    fields: ["Expect: 100-continue", "Content-Length: 2"])
                #expect(await connection.receiveStatus() == 100)
                connection.send("{}")
                #expect(await connection.receiveStatus() == 200)
            }
        }
    }

    @Test func theServerSendsNoInterimAnswerToAnHTTP10Client() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    "GET /activeconfig HTTP/1.0\r\nExpect: 100-continue\r\n"
                        + "Content-Length: 2\r\n\r\n{}")
                #expect(await connection.receiveStatus() == 200)
            }
        }
    }

    @Test func theServerReadsARequestThatArrivesByteByByte() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                for byte in "GET /activeconfig/user/%31 HTTP/1.1\r\nHost: a\r\n\r\n".utf8 {
                    connection.send([byte])
                }
                #expect(await connection.receiveStatus() == 200)
            }
        }
    }

    @Test func theServerClosesAConnectionOnWhichNoRequestComes() async throws {
        var limits = ServerLimits()
        limits.idleTime = .milliseconds(100)  // deadline: no request arrives
        try await RunningServer.with(limits: limits) { server in
            for text in ["", "GET /activeconfig HTTP/1.1\r\nHos"] {
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(text)
                    #expect(await connection.receiveEnd().isEmpty)
                }
            }
        }
    }

    @Test func theServerClosesAKeptAliveConnectionThatStaysIdle() async throws {
        var limits = ServerLimits()
        // Retries with longer times, for a machine that sends the request too late.
        for seconds in [1, 5, 30] as [Int64] {
            limits.idleTime = .seconds(seconds)  // deadline: otherwise retries with a longer time
            let status = try await RunningServer.with(limits: limits) { server in
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(target: "/activeconfig")
                    let status = await connection.receiveStatus()
                    #expect(await connection.receiveEnd().isEmpty)
                    return status
                }
            }
            if status == 200 { return }
            #expect(status == nil)
        }
        Issue.record("No request arrived before the connection was closed.")
    }

    @Test func theServerAnswers408WhenABodyDoesNotArrive() async throws {
        var limits = ServerLimits()
        limits.bodyTime = .milliseconds(100)  // deadline: the rest never arrives
        try await RunningServer.with(limits: limits) { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/activeconfig", fields: ["Content-Length: 5"])
                connection.send("{")
                let answer = try await connection.receive()
                #expect(answer.status == 408)
                #expect(answer.error?.status == "DEADLINE_EXCEEDED")
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func theServerDisconnectsAClientThatDoesNotRead() async throws {
        var limits = ServerLimits()
        limits.unreadTime = .milliseconds(100)  // deadline: nothing is ever read
        try await RunningServer.with(limits: limits) { server in
            let closed = try await UnreadClient.fill(port: server.port)
            #expect(closed)
        }
    }

    @Test(arguments: ["/activeconfig", "/health/ready"], ["Connection: close", "X: y"])
    func aClientThatStopsSendingGetsItsAnswer(target: String, field: String) async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: target, fields: [field])
                try await connection.finishSending()
                #expect(await connection.receiveStatus() == 200)
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }
}
