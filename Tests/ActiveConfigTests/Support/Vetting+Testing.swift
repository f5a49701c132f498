import Foundation

@testable import ActiveConfig
@testable import ActiveConfigTrust

extension OriginalDocument {
    init(body: Data, signature: String?, entityTag: String?) {
        self.init(
            body: body, headerFields: Self.fields(signature: signature), entityTag: entityTag)
    }

    func confirmed(signature: String?, entityTag: String?) -> OriginalDocument {
        confirmed(headerFields: Self.fields(signature: signature), entityTag: entityTag)
    }

    private static func fields(signature: String?) -> [String: String] {
        signature.map { ["ActiveConfig-Signature": $0] } ?? [:]
    }
}

extension ConfigurationState {
    /// The document as sent in an answer that asks a share of the clients for acknowledgements.
    func asking(share: Double?) -> ConfigurationState {
        var state = self
        state.original = OriginalDocument(
            body: Data(), headerFields: share.map { ["ActiveConfig-Acknowledge": "\($0)"] } ?? [:],
            entityTag: entityTag)
        return state
    }
}

/// Observes with a closure.
struct ClosureObserver: ConfigurationObserving {
    let body: @Sendable (ConfigurationEvent) -> Void

    init(_ body: @escaping @Sendable (ConfigurationEvent) -> Void) { self.body = body }

    func observe(_ event: ConfigurationEvent) { body(event) }
}

extension ActiveConfig {
    /// The versions of stored documents that were refused in this launch, as reported to a later
    /// observer.
    var refusedVersions: [Int] {
        let versions = Locked<[Int]>([])
        let observation = addObserver(
            ClosureObserver { event in
                guard case .refused = event.kind else { return }
                versions.withLock { $0.append(event.document?.templateVersion ?? 0) }
            })
        observation.cancel()
        return versions.withLock { $0 }
    }
}

extension SignatureVetting {
    /// The signed version.
    func version(
        of document: OriginalDocument, for userID: UserID, at now: Date
    ) throws(SignatureError) -> Int {
        try statement(of: document, for: userID, at: now).version
    }
}

/// A vetting whose verdict is given by a test.
struct VettingRule: ConfigurationVetting {
    let verdict: @Sendable (ConfigurationCandidate) -> VettingVerdict

    init(_ verdict: @escaping @Sendable (ConfigurationCandidate) -> VettingVerdict) {
        self.verdict = verdict
    }

    func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict { verdict(candidate) }

    /// Refuses documents with the title "Bad".
    static func withoutBad(isIgnored: Bool) -> VettingRule {
        VettingRule { candidate in
            guard candidate.document["Home"]?.string(forKey: "title") == "Bad" else {
                return .accept
            }
            let refusal = ConfigurationRefusal("It is bad.")
            return isIgnored ? .ignore(refusal) : .refuse(refusal)
        }
    }
}

/// Records the refusals that an observer receives.
struct RefusalRecorder {
    private let recorded: Locked<[String]>
    private let observation: ActiveConfigSubscription

    init(_ config: ActiveConfig) {
        let recorded = Locked<[String]>([])
        self.recorded = recorded
        observation = config.addObserver(
            ClosureObserver { event in
                guard case .refused(let refusal, let kept) = event.kind else { return }
                let version = event.document?.templateVersion ?? 0
                recorded.withLock { $0.append("\(version) for \(kept ?? 0): \(refusal.reason)") }
            })
    }

    /// Each refusal as its version, the version that is kept, and the reason.
    var refusals: [String] { recorded.withLock { $0 } }
}
