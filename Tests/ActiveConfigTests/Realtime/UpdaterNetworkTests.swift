import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// A network that splits, delays, repeats, loses and damages the backend's messages.
///
/// Like a real connection, it breaks when it loses something, and keeps the order.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterNetworkTests {
    @Test(arguments: 0..<Rounds.count(8, nightly: 20))
    func listenersReceiveInOrderAndTheLastVersionArrives(round: Int) async throws {
        var random = SeededGenerator.printingItsSeed()
        let fixture = UpdaterFixture.make(
            ScriptedBackend(sections: ["Home": ["title": "0"], "Other": ["key": 0]]),
            seed: random.next())
        let listener = RecordingListener()
        fixture.config.registerListener(listener, forSectionName: "Home")
        let seed = Locked(SeededGenerator(seed: random.next()))
        fixture.backend.setNetwork { message in
            seed.withLock { seed in
                switch Int.random(in: 0..<10, using: &seed) {
                case 0: [.cut(message, after: 0)]
                case 1: [.intact(message), .intact(message)]
                case 2: [.intact(message).after(.seconds(Int.random(in: 1...20, using: &seed)))]
                case 4:
                    [.cut(message, after: .random(in: 0..<message.bytes.count, using: &seed))]
                case 5:
                    [.bytes((0..<50).map { _ in .random(in: 0...255, using: &seed) }).thenBroken]
                default: [.intact(message)]
                }
            }
        }
        try await fixture.run {
            for version in 1...40 {
                fixture.backend.publish([
                    "Home": ["title": .string("\(version)")],
                    "Other": ["key": .integer(version / 3)],
                ])
                try await fixture.settle()
                fixture.clock.advance(by: .milliseconds(Int.random(in: 0...3_000, using: &random)))
                if Int.random(in: 0..<15, using: &random) == 0 { fixture.backend.endStreams() }
            }
            fixture.backend.setNetwork { [.intact($0)] }
            try await fixture.advance { fixture.title() == "40" }
            #expect(fixture.config["Other"]?.integer(forKey: "key") == 13)
            #expect(
                fixture.config.currentConfiguration.sections
                    == fixture.backend.document(ofUserID: "1").sections)
        }
        fixture.queue.sync {}
        let numbers = listener.deliveries.compactMap {
            $0.section?.string(forKey: "title").flatMap { Int($0) }
        }
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.last == 40)
    }
}
