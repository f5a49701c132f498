import Foundation

/// Waits of requests: all after a failure of the server, a single one after its refusal.
extension DownloadHistory {
    /// A wait for the server.
    struct Wait: Codable, Sendable, Equatable {
        var start: Date
        var seconds: Double
        /// True once it began anew, since the clock was set back.
        var isRestarted = false
        /// The status of the answer that is the cause, if it is one.
        var status: Int?

        /// True when another wait, of now, adds nothing: this one is as new, and ends hardly earlier.
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

        /// Begins anew, once, if the clock was set back since it began.
        mutating func restart(at time: Date) {
            if time < start, !isRestarted { (start, isRestarted) = (time, true) }
        }
    }

    /// A 4xx answer that a retry is unlikely to change.
    struct Refusal: Codable, Sendable, Equatable {
        /// The ``Request/scope`` that it is for.
        let scope: String
        let status: Int
        var wait: Wait
        /// Of the request's URL and credentials; nil when they are not known.
        var fingerprint: String?
        /// How many requests were made within the wait, as they differed, and were refused as well; nil
        /// in a record of a former version.
        var earlyCount: Int?

        /// Early refusals after which the fingerprint is ignored: the app's requests differ each time.
        static let maximumEarlyCount = 8

        /// False when requests with another URL or other credentials have to wait too.
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

    /// True when the wait of a refused request of that user, version and signals is not over.
    func isEarly(_ request: Request) -> Bool {
        let refusal = stored.value.refusals[request.userID.digest]
        return refusal?.scope == request.scope && bounded(refusal?.wait)?.rest(at: now()) != nil
    }

    /// True when it depends on a request's URL and credentials, which are not known, whether it has to
    /// wait.
    func needsFingerprint(_ request: Request) -> Bool {
        let refusal = refusal(of: request, in: stored.value)
        return request.fingerprint == nil && refusal?.fingerprint != nil
    }

    /// Ways to end the wait of a refused request, beside `markStale()`.
    func waitEnds(
        of request: Request, by downloader: any ActiveConfigDownloader
    ) -> DownloadError.WaitEnds {
        // Within a downloader of the app's own, URL and credentials are not known before a request.
        guard let downloader = downloader as? any RequestPredicting else { return [] }
        var ends: DownloadError.WaitEnds = []
        if downloader.tokenChangeCount != nil { ends.insert(.tokenChange) }
        let refusal = refusal(of: request, in: stored.value)
        if refusal?.comparesFingerprints == true { ends.insert(.otherRequest) }
        return ends
    }

    /// The end of the wait that keeps a request from being made.
    func waitEnd(for request: Request) -> Date? {
        let time = now()
        return waits(for: request, in: stored.value).compactMap { wait in
            wait.rest(at: time).map { rest in
                time < wait.start
                    ? time.addingTimeInterval(rest) : wait.start.addingTimeInterval(wait.seconds)
            }
        }.max()
    }

    /// The waits of a request: for the server, and for another answer.
    func waits(for request: Request, in state: State) -> [Wait] {
        let refused = refusal(of: request, in: state).map { refusal in
            var wait = refusal.wait
            wait.status = refusal.status
            // Former versions waited for hours.
            if refusal.earlyCount == nil, FetchPolicy.Failure.isShort(refusal.status) {
                wait.seconds = min(refusal.wait.seconds, FetchPolicy.Backoff.shortRefusalWait)
            }
            return wait
        }
        return [bounded(state.wait), bounded(refused)].compactMap(\.self)
    }

    /// The refusal that holds for a request.
    private func refusal(of request: Request, in state: State) -> Refusal? {
        let key = request.userID.digest
        // One of an earlier launch holds until tokens change in this one.
        let tokenChangeCount = tokenChangeCounts.withLock { $0[key] } ?? 0
        return state.refusals[key].flatMap {
            $0.isFor(request) && tokenChangeCount == request.tokenChangeCount ? $0 : nil
        }
    }

    /// An app version with longer waits may have stored it, or somebody else; nil without waits.
    func bounded(_ wait: Wait?) -> Wait? {
        guard let backoff = policy.backoff, var wait else { return nil }
        wait.seconds = min(wait.seconds, backoff.longestWait)
        return wait
    }
}
