import ActiveConfigTesting
import Testing

@testable import ActiveConfig

/// Random histories of a user, compared with a model of the documented rules.
struct UserDocumentsModelTests {
    private static let sections = ["Home", "Kill", "Next"]

    /// Home waits for `activate()`, Kill for nothing, and Next for a launch.
    private static let policy = ActivationPolicy(
        .manual, sections: ["Kill": .immediate, "Next": .nextLaunch])

    private static func document(_ version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: Dictionary(
                uniqueKeysWithValues: sections.map { ($0, ["version": .integer(version)]) }),
            entityTag: "\"\(version)\"")
    }

    private static func own(_ version: Int?) -> KnownConfiguration? {
        version.map { KnownConfiguration(document($0), source: .stored, isOwn: true) }
    }

    private static func fallback(_ version: Int) -> KnownConfiguration {
        KnownConfiguration(document(version), source: .genericUser, isOwn: false)
    }

    /// The document that each section comes from: the rules in a few lines.
    private struct Model {
        /// The versions of the own document, of the pending one, and of the fallback.
        var own: Int?
        var waiting: Int?
        var fallback: Int
        /// The sections of the pending document that are already active.
        var adopted: [String] = []
        /// The versions of sections that stay active from an earlier pending document.
        var former: [String: Int] = [:]

        var active: [String: Int] {
            var active = Dictionary(
                uniqueKeysWithValues: sections.map { ($0, own ?? fallback) })
            active.merge(former) { _, adopted in adopted }
            if let waiting { for name in adopted { active[name] = waiting } }
            return active
        }

        mutating func wait(for version: Int, adopting names: [String]) {
            // Active sections stay, whichever document they came from.
            former = active.filter { $0.value != own ?? fallback }
            (waiting, adopted) = (version, names)
        }

        mutating func take(_ version: Int) {
            (own, waiting, adopted, former) = (version, nil, [], [:])
        }
    }

    @Test(arguments: 0..<20)
    func aHistoryLeadsToTheStateOfTheRules(seed: UInt64) {
        for history in Rounds.numbers(250, nightly: 5_000) {
            var random = SeededGenerator(seed: seed * 1_000 + UInt64(history))
            var version = 10
            func next() -> Int {
                version += 1
                return version
            }
            var user = SimulatedUser(policy: Self.policy)
            var model = Model(fallback: next())
            if Bool.random(using: &random) { model.own = next() }
            var pending: ConfigurationState?
            let loaded = (own: Self.own(model.own), fallback: Self.fallback(model.fallback))
            if Bool.random(using: &random) {
                let waiting = next()
                pending = Self.document(waiting)
                model.wait(for: waiting, adopting: ["Kill", "Next"])
            }
            user.handle(
                .loaded(.init(own: loaded.own, pending: pending, fallback: loaded.fallback)))
            var steps: [String] = ["loaded"]
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let revision = user.documents.revision
                let before = (model.active, model.waiting)
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    let new = next()
                    steps.append("received \(new)")
                    user.handle(.received(Self.document(new)))
                    model.wait(for: new, adopting: ["Kill"])
                case 1:
                    guard let waiting = model.waiting else { continue }
                    steps.append("activated \(waiting)")
                    user.handle(.activated(Self.document(waiting)))
                    model.take(waiting)
                case 2:
                    let new = next()
                    steps.append("stored elsewhere \(new)")
                    let fallback = Self.fallback(model.fallback)
                    user.handle(.reloaded(.init(own: Self.own(new), fallback: fallback)))
                    model.take(new)
                case 3:
                    // A document that is older than the active one changes nothing.
                    guard model.own != nil, model.former.isEmpty else { continue }
                    steps.append("older elsewhere")
                    user.handle(.reloaded(.init(own: Self.own(1))))
                    #expect(user.documents.revision == revision, "\(seed) \(history) \(steps)")
                case 4:
                    let new = next()
                    steps.append("fallback \(new)")
                    user.handle(.fallbackChanged(Self.fallback(new)))
                    model.fallback = new
                default:
                    steps.append("forgotten")
                    let fallback = Self.fallback(model.fallback)
                    user.handle(.forgotten(.init(fallback: fallback)))
                    model = Model(fallback: model.fallback)
                }
                let active = user.documents.active?.configuration.sections.mapValues {
                    $0.integer(forKey: "version")
                }
                #expect(active == model.active.mapValues { $0 }, "\(seed) \(history) \(steps)")
                #expect(
                    user.documents.active?.pending?.configuration.templateVersion == model.waiting,
                    "\(seed) \(history) \(steps)")
                let isFallback = user.documents.isFallback
                #expect(isFallback == (model.own == nil), "\(seed) \(history) \(steps)")
                if before != (model.active, model.waiting) {
                    #expect(user.documents.revision > revision, "\(seed) \(history) \(steps)")
                }
            }
        }
    }
}
