#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// 16-bit hash of a request's URL and credentials.
///
/// It is stored, so it is too short to recover even a weak credential. One in 65,536 other requests
/// collides, and then waits like the refused one.
package enum RequestFingerprint {
    package static func of(_ request: URLRequest) -> String {
        let fields = request.credentialFields.map { ($0.key.lowercased(), $0.value) }
            .sorted { $0.0.precedes($1.0) }
            .map { "\n\($0.0): \($0.1)" }
        let text = "\(request.url?.absoluteString ?? "")\(fields.joined())"
        return String(SHA256.hexDigest(of: text.utf8).prefix(4))
    }
}

/// A downloader that can predict a request before it is made.
protocol RequestPredicting: ActiveConfigDownloader {
    /// Number of calls of `tokensDidChange()` in this launch; nil: there are no such credentials.
    var tokenChangeCount: Int? { get }

    /// For a user's next request; nil when that is asynchronous.
    func knownFingerprint(forUserID userID: String?) -> String?

    /// For a user's next request; nil when there is none, for example without a token.
    func fingerprint(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async -> String?
}

extension JSONURLDownloader: RequestPredicting {
    var tokenChangeCount: Int? { tokenChanges?.count }

    func knownFingerprint(forUserID userID: String?) -> String? {
        knownRequest(context(userID, nil)).map(RequestFingerprint.of)
    }

    func fingerprint(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async -> String? {
        try? await RequestFingerprint.of(createRequest(context(userID, lastKnown)))
    }
}
