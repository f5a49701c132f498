import Foundation
import JSONTree
import NIOConcurrencyHelpers
import Targeting
import Testing

@testable import ClientAPI

/// The sample of recent signals is bounded, and contains nothing that identifies a person.
struct SignalSampleTests {
    private let date = NIOLockedValueBox(Date(timeIntervalSince1970: 1_700_000_000))

    private static let day: TimeInterval = 86_400

    private func makeSample() -> SignalSample {
        SignalSample { [date] in
            // Advances by a second per request, so that the rate limit drops none.
            date.withLockedValue { date in
                date += 1
                return date
            }
        }
    }

    private static func signals(_ values: [String: String]) throws -> Signals {
        var signals = Signals()
        for (name, value) in values { try signals.setValue(value, named: name) }
        return signals
    }

    /// Records a request of each of the users; by default, of as many as make a value common.
    private func record(
        _ values: [String: String], in sample: SignalSample, users: Int = SignalSample.commonUsers
    ) throws {
        for user in 1...users {
            sample.record(inProject: "p", userID: "\(user)", signals: try Self.signals(values))
        }
    }

    @Test func aValueCountsOnceEnoughUsersHaveSentIt() throws {
        let sample = makeSample()
        for user in 1...SignalSample.commonUsers {
            #expect(sample.commonNames(inProject: "p").isEmpty)
            // The same user counts once.
            for _ in 0..<3 {
                sample.record(
                    inProject: "p", userID: "\(user)",
                    signals: try Self.signals(["device.os": "ios", "mail": "\(user)@x.example"]))
            }
        }
        let entries = sample.entries(inProject: "p")
        #expect(entries.count == SignalSample.commonUsers)
        #expect(entries.allSatisfy { $0.signals == Signals(deviceOS: "ios") })
        #expect(sample.entries(inProject: "q").isEmpty)
    }

    @Test func aNameCountsWhateverItsValuesAre() throws {
        let sample = makeSample()
        for user in 1...SignalSample.commonUsers {
            var values = ["customer": "\(user)"]
            // More signals than the sample keeps of a user.
            for index in 0..<60 { values["a\(index)"] = "x" }
            sample.record(inProject: "p", userID: "\(user)", signals: try Self.signals(values))
        }
        let names = sample.commonNames(inProject: "p")
        #expect(names.contains("signal.customer"))
        #expect(names.count == 61)
    }

    @Test func theValuesThatEnoughUsersSendAreKnownByName() throws {
        let sample = makeSample()
        #expect(sample.commonValues(inProject: "p").isEmpty)
        for user in 1...SignalSample.commonUsers {
            sample.record(
                inProject: "p", userID: "\(user)",
                signals: try Self.signals(["plan": "gold", "customer": "\(user)"]))
        }
        #expect(sample.commonValues(inProject: "p") == ["signal.plan": ["gold"]])
    }

    @Test func theSampleKeepsNeitherUserIDsNorRareValues() throws {
        let sample = makeSample()
        try record(["plan": "planted-common"], in: sample)
        for user in ["secret-user-1", "secret-user-2"] {
            sample.record(
                inProject: "p", userID: user,
                signals: try Self.signals(["mail": "secret-\(user)", "secret-name": "1"]))
        }
        var text = ""
        dump(try #require(sample.project("p")), to: &text)
        for entry in sample.entries(inProject: "p") { dump(entry, to: &text) }
        #expect(!text.contains("secret"))
        #expect(text.contains("planted-common"))
        #expect(text.contains("signal.plan"))
        #expect(Set(sample.entries(inProject: "p").map(\.surrogate)).count == 7)
    }

    @Test func theCommonSignalsOfAUserAreFoundByTheID() throws {
        let sample = makeSample()
        try record(["device.os": "ios", "plan": "gold"], in: sample)
        sample.record(
            inProject: "p", userID: "1",
            signals: try Self.signals(["device.os": "ios", "mail": "1@x.example"]))
        #expect(
            sample.signals(ofUser: "1", inProject: "p") == Signals(deviceOS: "ios"))
        let second = try #require(sample.signals(ofUser: "2", inProject: "p"))
        let both = try Self.signals(["device.os": "ios", "plan": "gold"])
        #expect(second == both)
        #expect(sample.signals(ofUser: "6", inProject: "p") == nil)
        #expect(sample.signals(ofUser: "1", inProject: "q") == nil)
        date.withLockedValue { $0 += Self.day }
        #expect(sample.signals(ofUser: "1", inProject: "p") == nil)
    }

    @Test func aUserWhoIsSeenAgainStaysWithTheLastSignals() throws {
        let sample = makeSample()
        try record(["plan": "free"], in: sample)
        let surrogates = sample.entries(inProject: "p").map(\.surrogate)
        date.withLockedValue { $0 += Self.day }
        #expect(sample.entries(inProject: "p").isEmpty)
        try record(["plan": "gold"], in: sample)
        let entries = sample.entries(inProject: "p")
        #expect(entries.count == SignalSample.commonUsers)
        #expect(try entries.allSatisfy { $0.signals == (try Self.signals(["plan": "gold"])) })
        // The users' percentiles do not change.
        #expect(entries.map(\.surrogate) == surrogates)
    }

    @Test func aValueThatWasCommonBeforeTheLastDayIsRareAgain() throws {
        let sample = makeSample()
        try record(["plan": "gold"], in: sample)
        date.withLockedValue { $0 += Self.day }
        #expect(sample.commonNames(inProject: "p").isEmpty)
        try record(["plan": "gold"], in: sample, users: SignalSample.commonUsers - 1)
        #expect(sample.commonNames(inProject: "p").isEmpty)
        #expect(sample.entries(inProject: "p").allSatisfy { $0.signals == Signals() })
        var text = ""
        dump(try #require(sample.project("p")), to: &text)
        #expect(!text.contains("gold"))
    }

    @Test func requestsWithoutAUserIDMakeNoCustomValueCommon() throws {
        let sample = makeSample()
        for number in 0..<20 {
            sample.record(
                inProject: "p", userID: nil,
                signals: try Self.signals([
                    "serial": "4711", "device.os": "ios", "battery": "\(number)",
                ]))
        }
        // The same device at each request, as far as the standard signals show.
        #expect(sample.entries(inProject: "p").allSatisfy { $0.signals == Signals() })
        #expect(sample.commonNames(inProject: "p").isEmpty)
        for number in 0..<5 {
            sample.record(
                inProject: "p", userID: nil,
                signals: try Self.signals([
                    "serial": "4711", "device.os": "ios", "app.version": "\(number)",
                ]))
        }
        let common = sample.entries(inProject: "p").map(\.signals)
        #expect(Set(common) == [Signals(deviceOS: "ios")])
        #expect(
            sample.commonNames(inProject: "p") == ["device.os", "app.version", "signal.serial"])
    }

    @Test func aRequestWithoutAUserIDHasNoShareOfPercentages() throws {
        let sample = makeSample()
        let signals = try Self.signals(["device.os": "ios"])
        for _ in 0..<3 { sample.record(inProject: "p", userID: nil, signals: signals) }
        sample.record(inProject: "p", userID: "1", signals: signals)
        let entries = sample.entries(inProject: "p")
        #expect(entries.map { $0.surrogate == nil } == [true, false])
        #expect(
            entries.map(\.userHash) == [
                sample.hash(ofUserID: nil, signals: signals),
                sample.hash(ofUserID: "1", signals: Signals()),
            ])
    }

    @Test func theSampleIsBoundedAndForgets() throws {
        let sample = makeSample()
        try record(["plan": "gold"], in: sample)
        for user in 0..<(SignalSample.maximumUsers + 50) {
            sample.record(
                inProject: "p", userID: "user \(user)", signals: try Self.signals(["n": "\(user)"])
            )
        }
        #expect(sample.entries(inProject: "p").count == SignalSample.maximumUsers)
        date.withLockedValue { $0 += Self.day }
        #expect(sample.entries(inProject: "p").isEmpty)
    }

    @Test func rareTextsMakeRoomBeforeCommonOnes() {
        let start = Date(timeIntervalSince1970: 0)
        var texts = SentTexts<String>(maximumCount: 10)
        func send(_ text: String, hash: UInt64, users: Int) {
            for user in 0..<users {
                texts.record(
                    text, hash: hash, by: UInt64(user), at: start + TimeInterval(user + 1),
                    since: start)
            }
        }
        send("common", hash: 0, users: 5)
        for hash in 1...1_000 { send("rare", hash: UInt64(hash), users: 4) }
        #expect(texts.common(since: start) == ["common"])
        #expect(texts.common(0, since: start) == "common")
        #expect(texts.common(1_000, since: start) == nil)
        // Common values replace other common values.
        for hash in 2_000..<2_100 { send("\(hash)", hash: UInt64(hash), users: 5) }
        #expect(texts.common(since: start).count == 10)
    }

    @Test func projectsThatAreNotAskedForMakeRoom() throws {
        let sample = makeSample()
        for project in 0..<100 {
            sample.record(inProject: "\(project)", userID: "1", signals: Signals())
        }
        sample.record(inProject: "late", userID: "1", signals: Signals())
        #expect(sample.entries(inProject: "late").isEmpty)
        date.withLockedValue { $0 += Self.day }
        sample.record(inProject: "late", userID: "1", signals: Signals())
        #expect(sample.entries(inProject: "late").count == 1)
    }

    @Test func tooManyRequestsInASecondAreNotRecorded() throws {
        let sample = SignalSample { Date(timeIntervalSince1970: 1_700_000_000) }
        for user in 0..<500 {
            sample.record(inProject: "p", userID: "\(user)", signals: Signals())
        }
        #expect(sample.entries(inProject: "p").count == 200)
    }

    @Test func aProjectWithManyRequestsLeavesRoomForTheOthers() throws {
        let second = NIOLockedValueBox(Date(timeIntervalSince1970: 1_700_000_000))
        let sample = SignalSample { second.withLockedValue { $0 } }
        for round in 0..<2 {
            for user in 0..<500 {
                sample.record(inProject: "p", userID: "\(round) \(user)", signals: Signals())
            }
            for user in 0..<5 {
                sample.record(inProject: "q", userID: "\(round) \(user)", signals: Signals())
            }
            second.withLockedValue { $0 += 1 }
        }
        #expect(sample.entries(inProject: "q").count == 10)
        // In the second second it had half.
        #expect(sample.entries(inProject: "p").count == 300)
    }
}
