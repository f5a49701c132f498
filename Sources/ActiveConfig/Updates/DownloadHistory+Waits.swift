import Foundation

/// Waits before requests: of all requests after a server failure, of one request after its refusal.
extension DownloadHistory {
    /// A wait for the server.
    struct Wait: Codable, Sendable, Equatable {
        var start: Date
        var seconds: Double
        /// True once it was restarted because the clock was set back.
        var isRestarted = false
        /// The status of the answer that caused it, if any.
        var status: Int?

        /// True when another wait that starts now adds nothing: this one is as new, and ends about
        /// as late.
        func covers(_ new: Wait, at time: Date) -> Bool {
            guard let rest = rest(at: time) else { return false }
            let elapsed = time.timeIntervalSince(start)
            return (0..<DownloadHistory.writeInterval).contains(elapsed)
                && rest > new.seconds - DownloadHistory.writeInterval
        }

        /// In seconds; nil when it is over.
        func rest(at time: Date) -> Double? {
            let elapsed = time.timeIntervalSince(start)
            if elapsed < 0 { return isRestarted ? nil : seconds }
            // Tolerates rounding at the end of the wait.
            return seconds - elapsed > 0.001 ? seconds - elapsed : nil
        }

        /// Restarts it, once, if the clock was set back since its start.
        mutating func restart(at time: Date) {
            if time < start, !isRestarted { (start, isRestarted) = (time, true) }
        }
    }

    /// A 4xx answer that a retry is unlikely to change.
    struct Refusal: Codable, Sendable, Equatable {
        /// The ``Request/scope`` that it applies to.
        let scope: String
        let status: Int
        var wait: Wait
        /// Of the request's URL and credentials; nil when they are unknown.
        var fingerprint: String?
        /// Number of differing requests made during the wait that were refused as well; nil in a
        /// record of an earlier version.
        var earlyCount: Int?

        /// Early refusals after which the fingerprint is ignored: the app's requests apparently
        /// differ each time.
        static let maximumEarlyCount = 8

        /// False when requests with another URL or other credentials have to wait as well.
        var comparesFingerprints: Bool {
            fingerprint != nil && earlyCount ?? 0 < Self.maximumEarlyCount
        }

        /// True for a request that is likely to be refused as well.
        func isFor(_ request: Request) -> Bool {
            guard scope == request.scope else { return false }
            guard comparesFingerprints, let other = request.fingerprint else { return true }
            return fingerprint == other
        }
    }

    /// True while the wait of a refused request of that user, version and signals lasts.
    func isEarly(_ request: Request) -> Bool {
        let refusal = refusal(of: request.userID)
        return refusal?.scope == request.scope && bounded(refusal?.wait)?.rest(at: now()) != nil
    }

    /// True when the decision depends on the request's URL and credentials, which are unknown.
    func needsFingerprint(_ request: Request) -> Bool {
        let refusal = appliedRefusal(to: request)
        return request.fingerprint == nil && refusal?.fingerprint != nil
    }

    /// Ways to end the wait of a refused request, besides `markStale()`.
    func waitEnds(
        of request: Request, by downloader: any ActiveConfigDownloader
    ) -> DownloadError.WaitEnds {
        // A custom downloader does not reveal URL and credentials before the request.
        guard let downloader = downloader as? any RequestPredicting else { return [] }
        var ends: DownloadError.WaitEnds = []
        if downloader.tokenChangeCount != nil { ends.insert(.tokenChange) }
        let refusal = appliedRefusal(to: request)
        if refusal?.comparesFingerprints == true { ends.insert(.otherRequest) }
        return ends
    }

    /// The end of the wait that blocks a request.
    func waitEnd(for request: Request) -> Date? {
        let time = now()
        return waits(for: request).compactMap { wait in
            wait.rest(at: time).map { rest in
                time < wait.start
                    ? time.addingTimeInterval(rest) : wait.start.addingTimeInterval(wait.seconds)
            }
        }.max()
    }

    /// The waits of a request: for the server, and for a refusal to change.
    func waits(for request: Request) -> [Wait] {
        let refused = appliedRefusal(to: request).map { refusal in
            var wait = refusal.wait
            wait.status = refusal.status
            // Earlier versions waited for hours.
            if refusal.earlyCount == nil, FetchPolicy.Failure.isShort(refusal.status) {
                wait.seconds = min(refusal.wait.seconds, FetchPolicy.Backoff.shortRefusalWait)
            }
            return wait
        }
        return [bounded(stored.value.wait), bounded(refused)].compactMap(\.self)
    }

    private func appliedRefusal(to request: Request) -> Refusal? {
        // A refusal of an earlier launch applies until tokens change in this one.
        let tokenChangeCount = users.withLock { $0[request.userID]?.tokenChangeCount } ?? 0
        return refusal(of: request.userID).flatMap {
            $0.isFor(request) && tokenChangeCount == request.tokenChangeCount ? $0 : nil
        }
    }

    /// Limits a stored wait to the policy's longest, as another app version may have stored a longer
    /// one; nil without waits.
    func bounded(_ wait: Wait?) -> Wait? {
        guard let backoff = policy.backoff, var wait else { return nil }
        wait.seconds = min(wait.seconds, backoff.longestWait)
        return wait
    }
}
