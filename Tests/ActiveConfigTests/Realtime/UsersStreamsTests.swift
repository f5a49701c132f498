import ActiveConfigEventStream
import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// The distribution of users over shared streams, and of events over users.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UsersStreamsTests {
    private typealias Element = EventStreamParser.Element

    /// Streams and the connections that they have opened.
    private struct Fixture {
        let clock = ManualClock()
        let streams: UsersStreams
        let connections: AsyncStream<PreparedConnection>

        init(opening: @escaping @Sendable (Data) async throws -> Void = { _ in }) {
            let (connections, continuation) = AsyncStream.makeStream(of: PreparedConnection.self)
            self.connections = connections
            streams = UsersStreams(clock: clock) { userID, body in
                let connection = PreparedConnection(userID, body: body, opening: opening)
                continuation.yield(connection)
                return connection
            }
        }

        /// Joins users at the same time.
        func join(
            _ userIDs: [String?], lastEventID: String? = "1"
        ) async throws -> [UserStreamPart] {
            let parts = userIDs.map { userID in
                UserStreamPart(
                    UserID(userID), signals: [:], lastEventID: lastEventID, entityTag: "\"1\"",
                    limits: .default)
            }
            let joins = parts.map { part in
                Task { @MainActor [streams] in try await streams.join(part) }
            }
            // Runs after those tasks: all users wait for a stream before the clock advances.
            await MainActor.run {}
            let time = letTimePass()
            defer { time.cancel() }
            try await withTaskCancellationHandler {
                for join in joins { try await join.value }
            } onCancel: {
                for join in joins { join.cancel() }
            }
            return parts
        }

        /// The next connection that is opened.
        func next() async throws -> PreparedConnection {
            let time = letTimePass()
            defer { time.cancel() }
            for await connection in connections { return connection }
            throw CancellationError()
        }

        /// Advances the clock by the time in which joins are batched, whenever a task waits for it.
        private func letTimePass() -> Task<Void, any Error> {
            Task { [clock] in
                while true {
                    let now = clock.now
                    let isGathering: @Sendable ([ManualClock.Instant]) -> Bool = { deadlines in
                        deadlines.first.map { $0 <= now.advanced(by: .milliseconds(100)) } ?? false
                    }
                    try await clock.waitForDeadlines(where: isGathering)
                    clock.advance(by: .milliseconds(100))
                }
            }
        }
    }

    /// The last event ID of each user in a request.
    private static func users(_ body: Data) throws -> [String: String] {
        let users = try SettingValue(jsonData: body).dictionaryValue?["users"]?.arrayValue ?? []
        return try users.reduce(into: [:]) { result, user in
            let members = try #require(user.dictionaryValue)
            result[members["user_id"]?.stringValue ?? "generic"] =
                members["last_event_id"]?.stringValue
        }
    }

    private static func update(_ userID: String, _ version: Int) -> String {
        "event: update\nid: \(version)\ndata: {\"user_id\":\"\(userID)\",\"n\":\(version)}\n\n"
    }

    private static func event(_ name: String, _ id: Int, _ data: String) -> Element {
        .event(ServerEvent(name: name, id: "\(id)", data: Array(data.utf8)))
    }

    /// The parsed form of `update`.
    private static func updated(_ userID: String, _ version: Int) -> Element {
        event("update", version, "{\"user_id\":\"\(userID)\",\"n\":\(version)}")
    }

    /// Reads the events that arrive for a user, up to and including `last`.
    private static func read(
        _ part: UserStreamPart, until last: Element
    ) async throws -> [Element] {
        var all: [Element] = []
        while all.last != last {
            let events = try #require(try await part.events.next())
            all += try events.map { try #require($0.element) }
        }
        return all
    }

    @Test func usersWhoJoinTogetherShareAStreamAndReceiveOnlyTheirEvents() async throws {
        let fixture = Fixture()
        let parts = try await fixture.join(["a", "b", nil])
        let stream = try await fixture.next()
        #expect(try Self.users(stream.body) == ["a": "1", "b": "1", "generic": "1"])
        stream.send(Self.update("a", 2) + Self.update("nobody", 3) + Self.update("b", 4))
        stream.send("event: update\nid: 5\ndata: {\"n\":5,\"user_id\":null}\n\n:\n\n")
        let updates = [
            Self.updated("a", 2), Self.updated("b", 4),
            Self.event("update", 5, "{\"n\":5,\"user_id\":null}"),
        ]
        for (part, update) in zip(parts, updates) {
            #expect(try await Self.read(part, until: .comment("")) == [update, .comment("")])
        }
        let goodbye = "event: retry\nretry: 7\ndata: {\"after_ms\":7}\n\n"
        stream.send(goodbye)
        stream.events.end(.success(()))
        for part in parts {
            let last = Self.event("retry", 5, "{\"after_ms\":7}")
            #expect(try await Self.read(part, until: last) == [.retry(milliseconds: 7), last])
            #expect(try await part.events.next() == nil)
        }
    }

    @Test func laterUsersTakeOverASmallStreamWhichResumesAfterTheLastEvents() async throws {
        let fixture = Fixture()
        let first = try await fixture.join(["a", "b"])
        let stream = try await fixture.next()
        // A `hello` names the newest version, which the client may not have yet.
        stream.send("event: hello\nid: 9\ndata: {\"user_id\":\"b\"}\n\n" + Self.update("a", 8))
        _ = try await Self.read(first[0], until: Self.updated("a", 8))
        let second = try await fixture.join(["c", "d"], lastEventID: "7")
        let joined = try await fixture.next()
        #expect(stream.isClosed)
        #expect(try Self.users(joined.body) == ["a": "8", "b": "1", "c": "7", "d": "7"])
        joined.send(Self.update("a", 10) + Self.update("d", 10))
        #expect(
            try await Self.read(first[0], until: Self.updated("a", 10)) == [Self.updated("a", 10)])
        #expect(
            try await Self.read(second[1], until: Self.updated("d", 10)) == [Self.updated("d", 10)])
        // One user does not take over a stream of four, which is larger than its batch.
        _ = try await fixture.join(["e"])
        #expect(try Self.users(try await fixture.next().body) == ["e": "1"])
        #expect(!joined.isClosed)
    }

    @Test func aUserWhoJoinsTwiceIsOnTwoStreams() async throws {
        let fixture = Fixture()
        let parts = try await fixture.join(["a", "a"])
        for _ in parts {
            let stream = try await fixture.next()
            #expect(try Self.users(stream.body) == ["a": "1"])
            stream.send(Self.update("a", 2))
        }
        for part in parts {
            #expect(
                try await Self.read(part, until: Self.updated("a", 2)) == [Self.updated("a", 2)])
        }
    }

    @Test func streamsHaveAsManyUsersAsFitIntoTheirRequest() async throws {
        let fixture = Fixture()
        let userIDs = (0..<2_100).map { "user-\($0)" } + (0..<3).map { "\($0)" + .long }
        _ = try await fixture.join(userIDs)
        var users: Set<String> = []
        var streamCount = 0
        while users.count < userIDs.count {
            let stream = try await fixture.next()
            let named = try Self.users(stream.body)
            #expect(named.count <= 1_000)
            // A user whose ID exceeds the limit has a stream alone.
            #expect(stream.body.count < 49 << 10 || named.count == 1)
            users.formUnion(named.keys)
            streamCount += 1
        }
        #expect(users == Set(userIDs))
        #expect(streamCount < 10)
    }

    @Test func onlyTheUsersWhomTheServerDoesNotAcceptAreRefused() async throws {
        let fixture = Fixture { body in
            if String(decoding: body, as: UTF8.self).contains("bad") {
                throw NoEventStreamError("status 400", status: 400)
            }
        }
        let userIDs = (0..<20).map { $0 == 7 || $0 == 8 ? "bad \($0)" : "\($0)" }
        let refused = try await withThrowingTaskGroup(of: String?.self) { group in
            for userID in userIDs {
                group.addTask {
                    do {
                        _ = try await fixture.join([userID])
                        return nil
                    } catch let error as NoEventStreamError where error.status == 400 {
                        return userID
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { if let id = $1 { $0.insert(id) } }
        }
        #expect(refused == ["bad 7", "bad 8"])
        #expect(fixture.streams.isAvailable)
    }

    @Test func aServerWithoutSuchStreamsIsNotAskedAgainSoon() async throws {
        let fixture = Fixture { _ in throw NoEventStreamError("status 405", status: 405) }
        await #expect(throws: NoEventStreamError.self) { _ = try await fixture.join(["a"]) }
        #expect(!fixture.streams.isAvailable)
    }

    @Test func aUserWhoHasLeftReceivesNothing() async throws {
        let fixture = Fixture()
        let parts = try await fixture.join(["a", "b", "c"])
        let stream = try await fixture.next()
        fixture.streams.leave(parts[0])
        stream.send(Self.update("a", 2) + Self.update("b", 2))
        #expect(
            try await Self.read(parts[1], until: Self.updated("b", 2)) == [Self.updated("b", 2)])
        // Most users have left, so the stream is reopened without them.
        fixture.streams.leave(parts[2])
        let reopened = try await fixture.next()
        #expect(try Self.users(reopened.body) == ["b": "2"])
        #expect(stream.isClosed)
        fixture.streams.leave(parts[1])
        await reopened.waitUntilClosed()
        parts[0].events.end(.success(()))
        #expect(try await parts[0].events.next() == nil)
    }

    @Test func streamsAreSoonReopenedWithoutUsersWhoHaveLeft() async throws {
        let fixture = Fixture()
        let first = try await fixture.join((0..<900).map { "a\($0)" })
        let second = try await fixture.join((0..<700).map { "b\($0)" })
        let streams = [try await fixture.next(), try await fixture.next()]
        for part in [first[0], first[1], second[0]] { fixture.streams.leave(part) }
        try await fixture.clock.waitForSleepers(2)
        let end = fixture.clock.now.advanced(by: .seconds(60))
        #expect(fixture.clock.deadlines == [end, end])
        #expect(streams.allSatisfy { !$0.isClosed })
        fixture.clock.advance(by: .seconds(60))
        let renewed = [try await fixture.next(), try await fixture.next()]
        let users = try renewed.map { Set(try Self.users($0.body).keys) }
        #expect(Set(users) == [Set((2..<900).map { "a\($0)" }), Set((1..<700).map { "b\($0)" })])
        for stream in streams { await stream.waitUntilClosed() }
    }

    @Test(arguments: [
        (#"{"user_id":"a","n":1}"#, "a"), (#"{"user_id":"\"\\","n":1}"#, "\"\\"),
        (#"{"n":"user_id","user_id":"é"}"#, "é"), (#"{ "user_id" : "1" }"#, "1"),
    ])
    func theUserOfAnEventIsRead(data: String, userID: String) {
        #expect(ServerEvent(data: Array(data.utf8)).userID == UserID(userID))
    }

    @Test(arguments: [
        #"{"user_id":"a"#, #"{"user_id":"a\"#, #"{"user_id":3}"#, #"{"user_id":"#, "{}", "",
        #"{"n":{"user_id":"a"}}"#, #"{"user_id":nul}"#, "\u{0}",
    ])
    func anEventThatNamesNoUserHasNone(data: String) {
        #expect(ServerEvent(data: Array(data.utf8)).userID == nil)
    }

    @Test func theGenericUserIsOne() {
        let data = Array(#"{"user_id":null,"n":1}"#.utf8)
        #expect(ServerEvent(data: data).userID == .generic)
    }
}

extension String {
    /// Exceeds the size limit of a stream's request.
    fileprivate static let long = String(repeating: "x", count: 50_000)
}
