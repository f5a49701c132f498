@testable import ActiveConfig

/// A user's documents without a store: what is decided is stored at once, unless the store is full.
struct SimulatedUser {
    /// What the store has of the user.
    struct Stored: Sendable {
        var own: KnownConfiguration?
        var pending: ConfigurationState?
        /// The generic user's configuration.
        var fallback: KnownConfiguration?
    }

    enum Step: Sendable {
        case loaded(Stored)
        case reloaded(Stored)
        case received(ConfigurationState)
        case activated(ConfigurationState)
        case forgotten(Stored)
        case fallbackChanged(KnownConfiguration)
    }

    private(set) var documents: UserDocuments
    private var generic = UserDocuments.Generic()
    /// True while the store takes nothing.
    var isFull = false

    init(policy: ActivationPolicy) { documents = UserDocuments(policy: policy) }

    mutating func handle(_ step: Step) {
        switch step {
        case .loaded(let stored): handle(.loaded(read(stored)))
        case .reloaded(let stored): handle(.reloaded(read(stored)))
        case .forgotten(let stored): handle(.forgotten(read(stored)))
        case .fallbackChanged(let fallback):
            generic.fallback = fallback
            generic.revision += 1
            handle(.fallbackChanged)
        case .received(let document):
            save(
                .answered(
                    UserDocuments.Answer(
                        outcome: .downloaded, document: Vetted(document), asked: documents.newest,
                        revision: documents.revision)))
        case .activated(let document): save(.activate(Vetted(document)))
        }
    }

    private mutating func handle(_ event: UserDocuments.Event) {
        documents.handle(event, beside: generic)
    }

    private mutating func read(_ stored: Stored) -> UserDocuments.Stored {
        if let fallback = stored.fallback { generic.fallback = fallback }
        return UserDocuments.Stored(
            own: stored.own, pending: stored.pending, fallback: .generic,
            revision: documents.revision, genericRevision: generic.revision)
    }

    private mutating func save(_ proposal: UserDocuments.Proposal) {
        guard case .save(let save) = documents.decision(on: proposal) else { return }
        let document: ConfigurationState? =
            switch save {
            case .store(let new, _, _), .promote(let new): new.document
            case .promoteLaunched, .again: nil
            }
        handle(.saved(save, unstored: isFull ? document : nil))
    }

    /// The store takes again what it could not take before.
    mutating func saveAgain() { handle(.unstored(own: nil, pending: nil)) }
}
