import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Closures and sequences that observe a key or a whole section.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ObservedValuesTests {
    private struct Home: SettingsSection, Equatable {
        static let sectionName = "Home"
        var columns = 2
    }

    private static let path = SettingPath("Home", "columns")

    private static func numbers(
        _ config: ActiveConfig, _ change: (ActiveConfig) -> Void,
        _ observe: (@escaping @Sendable (Int) -> Void) -> ActiveConfigSubscription
    ) -> [Int] {
        let heard = Locked<[Int]>([])
        let subscription = observe { number in heard.withLock { $0.append(number) } }
        change(config)
        config.listenerQueue.sync {}
        subscription.cancel()
        config.overrides.set(99, for: path)
        config.listenerQueue.sync {}
        return heard.withLock { $0 }
    }

    /// Delivers the default first, then each new value once; equal values and other settings
    /// deliver nothing.
    private static func change(_ config: ActiveConfig) {
        config.overrides.set(3, for: path)
        config.overrides.set("3", for: path)
        config.overrides.set(1, for: SettingPath("Home", "other"))
        config.overrides.set("many", for: path)
        config.overrides.set(4, for: path)
    }

    @Test func aKeyIsFollowedFromItsDefaultOn() {
        let config = ActiveConfig.make()
        let heard = Self.numbers(config, Self.change) { config.observe(.columns, $0) }
        #expect(heard == [2, 3, 2, 4])
    }

    @Test func aKeyOfAnotherUserIsFollowed() {
        let config = ActiveConfig.make()
        let user = config.configuration(forUserID: "1")
        let heard = Self.numbers(config, Self.change) { user.observe(.columns, $0) }
        #expect(heard == [2, 3, 2, 4])
    }

    @Test func aWholeSectionIsFollowed() {
        let config = ActiveConfig.make()
        let heard = Self.numbers(config, Self.change) { hear in
            config.observe(Home.self) { hear($0.columns) }
        }
        #expect(heard.first == 2 && heard.last == 4 && heard.contains(3))
    }

    @Test func aSectionIsASequence() async {
        let config = ActiveConfig.make()
        for values in [
            config.values(of: Home.self),
            config.configuration(forUserID: nil).values(of: Home.self),
        ] {
            config.overrides.removeAll()
            var iterator = values.makeAsyncIterator()
            #expect(await iterator.next() == Home())
            config.overrides.set(7, for: Self.path)
            #expect(await iterator.next() == Home(columns: 7))
        }
    }

    @MainActor
    @Test func theMainActorReceivesTheFirstValueAtOnce() async {
        let config = ActiveConfig.make()
        var numbers: [Int] = []
        let subscription = config.observeOnMainActor(Home.self) { numbers.append($0.columns) }
        #expect(numbers == [2])
        config.overrides.set(5, for: Self.path)
        config.listenerQueue.sync {}
        // deadline: lets the main queue deliver
        while numbers.count < 2, !Task.isCancelled { await Task.yield() }
        #expect(numbers == [2, 5])
        subscription.cancel()
    }

    /// The first value of an observer that registers during changes is never newer than the ones
    /// that follow.
    @Test func theFirstValueIsNotNewerThanALaterOne() async {
        for _ in Rounds.numbers(50, nightly: 2_000) {
            let config = ActiveConfig.make()
            let heard = Locked<[Int]>([])
            let writer = Task { @concurrent in
                for number in 10..<20 { config.overrides.set(.integer(number), for: Self.path) }
            }
            let subscription = config.observe(.columns) { number in
                heard.withLock { $0.append(number) }
            }
            await writer.value
            config.listenerQueue.sync {}
            subscription.cancel()
            let numbers = heard.withLock { $0 }
            #expect(numbers == numbers.sorted() && numbers.last == 19)
        }
    }
}
