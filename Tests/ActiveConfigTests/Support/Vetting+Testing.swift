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
    /// The document as in an answer that asks for acknowledgements by a share of the clients.
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
    /// The versions of stored documents that were refused in this launch, as a later observer hears of them.
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
    /// The version that was signed.
    func version(
        of document: OriginalDocument, for userID: UserID, at now: Date
    ) throws(SignatureError) -> Int {
        try statement(of: document, for: userID, at: now).version
    }
}

/// A vetting with a verdict of the test's.
struct VettingRule: ConfigurationVetting {
    let verdict: @Sendable (ConfigurationCandidate) -> VettingVerdict

    init(_ verdict: @escaping @Sendable (ConfigurationCandidate) -> VettingVerdict) {
        self.verdict = verdict
    }

    func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict { verdict(candidate) }

    /// Takes no document with the title "Bad".
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

/// Records the refusals that an observer hears of.
struct RefusalRecorder {
    private let told: Locked<[String]>
    private let observation: ActiveConfigSubscription

    init(_ config: ActiveConfig) {
        let told = Locked<[String]>([])
        self.told = told
        observation = config.addObserver(
            ClosureObserver { event in
                guard case .refused(let refusal, let kept) = event.kind else { return }
                let version = event.document?.templateVersion ?? 0
                told.withLock { $0.append("\(version) for \(kept ?? 0): \(refusal.reason)") }
            })
    }

    /// Each as its version, the version that is kept, and the reason.
    var refusals: [String] { told.withLock { $0 } }
}
