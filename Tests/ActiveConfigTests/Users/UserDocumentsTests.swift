import ActiveConfigTesting
import Testing

@testable import ActiveConfig

struct UserDocumentsTests {
    private static func document(_ version: Int, _ titles: [String: String]) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: titles.mapValues { ["title": .string($0)] }, entityTag: "\"\(version)\"")
    }

    private static func own(_ document: ConfigurationState) -> KnownConfiguration {
        KnownConfiguration(document, source: .stored, isOwn: true)
    }

    private static func fallback(_ document: ConfigurationState) -> KnownConfiguration {
        KnownConfiguration(document, source: .genericUser, isOwn: false)
    }

    private static let one = document(1, ["Home": "1", "Kill": "1"])
    private static let two = document(2, ["Home": "2", "Kill": "2"])
    private static let three = document(3, ["Home": "3", "Kill": "3"])
    private static let generic = document(9, ["Home": "g", "Kill": "g"])
    private static let other = document(10, ["Home": "h", "Kill": "h"])

    private typealias Stored = SimulatedUser.Stored

    /// Events of one user, and the expected active and pending documents.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var policy = ActivationPolicy.immediate
        let events: [SimulatedUser.Step]
        /// The titles of Home and Kill.
        let active: [String]
        var pending: Int?
        var isFallback = false
        var isLaunchUnstored = false
    }

    static let rows = [
        Row(
            testDescription: "the own document before the fallback",
            events: [.loaded(Stored(own: own(one), fallback: fallback(generic)))],
            active: ["1", "1"]),
        Row(
            testDescription: "the fallback without an own document",
            events: [.loaded(Stored(fallback: fallback(generic)))], active: ["g", "g"],
            isFallback: true),
        Row(
            testDescription: "a second load changes nothing",
            events: [.loaded(Stored(own: own(two))), .loaded(Stored(own: own(one)))],
            active: ["2", "2"]),
        Row(
            testDescription: "a fallback that changes",
            events: [
                .loaded(Stored(fallback: fallback(generic))), .fallbackChanged(fallback(other)),
            ], active: ["h", "h"], isFallback: true),
        Row(
            testDescription: "a fallback that changes below an own document",
            events: [.loaded(Stored(own: own(one))), .fallbackChanged(fallback(other))],
            active: ["1", "1"]),
        Row(
            testDescription: "a download",
            events: [.loaded(Stored(own: own(one))), .received(two)],
            active: ["2", "2"]),
        Row(
            testDescription: "a pending download", policy: .manual,
            events: [.loaded(Stored(own: own(one))), .received(two)], active: ["1", "1"],
            pending: 2),
        Row(
            testDescription: "a pending download with an immediate section",
            policy: .manual(except: ["Kill"]),
            events: [.loaded(Stored(own: own(one))), .received(two)], active: ["1", "2"],
            pending: 2),
        Row(
            testDescription: "an activation", policy: .manual,
            events: [.loaded(Stored(own: own(one))), .received(two), .activated(two)],
            active: ["2", "2"]),
        Row(
            testDescription: "a newer download while one is pending", policy: .manual,
            events: [.loaded(Stored(own: own(one))), .received(two), .received(three)],
            active: ["1", "1"], pending: 3),
        Row(
            testDescription: "a document pending for a launch", policy: .nextLaunch,
            events: [.loaded(Stored(own: own(one), pending: two))], active: ["2", "2"],
            isLaunchUnstored: true),
        Row(
            testDescription: "a document activated by a launch stays", policy: .nextLaunch,
            events: [
                .loaded(Stored(own: own(one), pending: two)), .reloaded(Stored(own: own(one))),
            ], active: ["2", "2"], isLaunchUnstored: true),
        Row(
            testDescription: "a document stored by another process after a launch",
            policy: .nextLaunch,
            events: [
                .loaded(Stored(own: own(one), pending: two)), .reloaded(Stored(own: own(three))),
            ], active: ["3", "3"]),
        Row(
            testDescription: "a document stored by another process",
            events: [.loaded(Stored(own: own(one))), .reloaded(Stored(own: own(two)))],
            active: ["2", "2"]),
        Row(
            testDescription: "an older document in the store",
            events: [.loaded(Stored(own: own(two))), .reloaded(Stored(own: own(one)))],
            active: ["2", "2"]),
        Row(
            testDescription: "a removal in the store",
            events: [
                .loaded(Stored(own: own(two))), .reloaded(Stored(fallback: fallback(generic))),
            ], active: ["2", "2"]),
        Row(
            testDescription: "a document activated by another process", policy: .manual,
            events: [
                .loaded(Stored(own: own(one), pending: two)), .reloaded(Stored(own: own(two))),
            ], active: ["2", "2"]),
        Row(
            testDescription: "a document downloaded by another process", policy: .manual,
            events: [
                .loaded(Stored(own: own(one))), .reloaded(Stored(own: own(one), pending: two)),
            ], active: ["1", "1"], pending: 2),
        Row(
            testDescription: "forgetting the user",
            events: [
                .loaded(Stored(own: own(one))), .received(two),
                .forgotten(Stored(fallback: fallback(generic))),
            ], active: ["g", "g"], isFallback: true),
        Row(
            testDescription: "forgetting the user with a pending document",
            policy: .manual(except: ["Kill"]),
            events: [
                .loaded(Stored(own: own(one))), .received(two),
                .forgotten(Stored(fallback: fallback(generic))),
            ], active: ["g", "g"], isFallback: true),
        Row(
            testDescription: "a fallback that changes below a pending document",
            policy: .manual(except: ["Kill"]),
            events: [
                .loaded(Stored(fallback: fallback(generic))), .received(two),
                .fallbackChanged(fallback(other)),
            ], active: ["h", "2"], pending: 2, isFallback: true),
        Row(
            testDescription: "a fallback that changes below a document activated by a launch",
            policy: ActivationPolicy(.manual, sections: ["Kill": .nextLaunch]),
            events: [
                .loaded(Stored(pending: two, fallback: fallback(generic))),
                .fallbackChanged(fallback(other)),
            ], active: ["h", "2"], pending: 2, isFallback: true),
        Row(
            testDescription: "a fallback that changes after another document than the launch's",
            policy: ActivationPolicy(.manual, sections: ["Kill": .nextLaunch]),
            events: [
                .loaded(Stored(pending: two, fallback: fallback(generic))), .received(three),
                .fallbackChanged(fallback(other)),
            ], active: ["h", "2"], pending: 3, isFallback: true),
        Row(
            testDescription: "a reload after a launch that activated a section",
            policy: ActivationPolicy(.manual, sections: ["Kill": .nextLaunch]),
            events: [
                .loaded(Stored(pending: two, fallback: fallback(generic))),
                .reloaded(Stored(pending: two, fallback: fallback(generic))),
            ], active: ["g", "2"], pending: 2, isFallback: true),
        Row(
            testDescription: "a pending document that equals the fallback at a launch",
            policy: .manual(except: ["Kill"]),
            events: [
                .loaded(Stored(pending: two, fallback: fallback(two))),
                .fallbackChanged(fallback(other)),
            ], active: ["h", "2"], pending: 2, isFallback: true),
        Row(
            testDescription: "a pending document that equals the fallback at a reload",
            policy: .manual(except: ["Kill"]),
            events: [
                .loaded(Stored(fallback: fallback(generic))),
                .reloaded(Stored(pending: two, fallback: fallback(two))),
                .fallbackChanged(fallback(other)),
            ], active: ["h", "2"], pending: 2, isFallback: true),
        Row(
            testDescription: "a document pending for a launch that equals the fallback",
            policy: .nextLaunch,
            events: [.loaded(Stored(pending: two, fallback: fallback(two)))],
            active: ["2", "2"], isLaunchUnstored: true),
    ]

    @Test(arguments: rows)
    func eventsLeadToTheActiveDocument(row: Row) {
        var user = SimulatedUser(policy: row.policy)
        for event in row.events { user.handle(event) }
        let state = user.documents
        let sections = state.active?.configuration.sections
        #expect(["Home", "Kill"].map { sections?[$0]?.title } == row.active)
        #expect(state.active?.pending?.configuration.templateVersion == row.pending)
        #expect(state.isFallback == row.isFallback)
        #expect(state.isLaunchUnstored == row.isLaunchUnstored)
    }

    /// Events without an effect do not change the revision, so that earlier reads do not become
    /// stale.
    @Test func eventsWithoutAnEffectKeepTheRevision() {
        var user = SimulatedUser(policy: .manual)
        user.handle(.loaded(Stored(own: Self.own(Self.two), pending: Self.three)))
        let revision = user.documents.revision
        user.handle(.loaded(Stored(own: Self.own(Self.one))))
        user.handle(.reloaded(Stored(own: Self.own(Self.two), pending: Self.three)))
        user.handle(.reloaded(Stored(own: Self.own(Self.one))))
        user.handle(.fallbackChanged(Self.fallback(Self.generic)))
        #expect(user.documents.revision == revision)
        user.handle(.activated(Self.three))
        #expect(user.documents.revision == revision + 1)
    }

    @Test func aLoadThatAForgettingHasOvertakenIsStale() {
        var user = SimulatedUser(policy: .immediate)
        let revision = user.documents.revision
        user.handle(.forgotten(Stored()))
        #expect(user.documents.revision != revision && user.documents.active == nil)
    }

    /// A switch may take over another process's document after a decision, which is then made again.
    @Test func anArrivalIsDecidedOnAgainBesideWhatWasTakenOver() {
        for policy in [ActivationPolicy.immediate, .manual] {
            var user = SimulatedUser(policy: policy)
            user.handle(.loaded(Stored(own: Self.own(Self.one))))
            let decided = user.documents
            func decision(
                _ outcome: DownloadOutcome, _ document: ConfigurationState?
            ) -> UserDocuments.Decision {
                let answer = UserDocuments.Answer(
                    outcome: outcome, document: document.map { Vetted($0) }, asked: Self.one,
                    revision: decided.revision)
                return user.documents.decision(on: .answered(answer))
            }
            user.handle(.reloaded(Stored(own: Self.own(Self.three))))
            #expect(user.documents.takeovers == decided.takeovers + 1)
            let outdated: [(DownloadOutcome, ConfigurationState?)] = [
                (.downloaded, Self.two), (.notModified, Self.one), (.notModified, nil),
            ]
            for (outcome, document) in outdated {
                guard case .outdated = decision(outcome, document) else {
                    Issue.record("\(outcome) \(document?.templateVersion ?? 0)")
                    continue
                }
            }
            for outcome in [DownloadOutcome.downloaded, .notModified] {
                // What was taken over may be what was stored of the arrival itself.
                guard case .confirmed = decision(outcome, Self.three) else {
                    Issue.record("\(outcome): the known document is not confirmed.")
                    continue
                }
            }
            guard case .save(.store) = decision(.downloaded, Self.generic) else {
                Issue.record("A later document is not saved.")
                continue
            }
        }
    }

    /// A new fallback does not change what was decided on the user's own documents.
    @Test func aFallbackIsNoTakeover() {
        var user = SimulatedUser(policy: .immediate)
        user.handle(.loaded(Stored(fallback: Self.fallback(Self.generic))))
        let takeovers = user.documents.takeovers
        user.handle(.fallbackChanged(Self.fallback(Self.other)))
        user.handle(.reloaded(Stored(fallback: Self.fallback(Self.other))))
        #expect(user.documents.takeovers == takeovers)
    }

    @Test func theNewestDocumentIsTheOneThatRequestsAskAbout() {
        var user = SimulatedUser(policy: .manual)
        #expect(user.documents.newest == nil)
        user.handle(.loaded(Stored(fallback: Self.fallback(Self.generic))))
        #expect(user.documents.newest == nil, "a fallback is not the user's own")
        user.handle(.received(Self.one))
        #expect(user.documents.newest == Self.one)
        user.handle(.activated(Self.one))
        user.handle(.received(Self.two))
        #expect(user.documents.newest == Self.two)
    }
}
