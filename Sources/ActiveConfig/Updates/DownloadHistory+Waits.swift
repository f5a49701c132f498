import Foundation

/// The wait of all requests after a failure of the server.
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

    /// The stored wait, limited to the policy's longest, as another app version may have stored a
    /// longer one; nil without waits, and for a damaged one.
    var wait: Wait? {
        guard let backoff = policy.backoff, var wait = stored.value.wait, wait.seconds > 0 else {
            return nil
        }
        wait.seconds = min(wait.seconds, backoff.longestWait)
        return wait
    }

    /// The end of the wait; nil when it is over.
    var waitEnd: Date? {
        let time = now()
        guard let wait, let rest = wait.rest(at: time) else { return nil }
        return time < wait.start
            ? time.addingTimeInterval(rest) : wait.start.addingTimeInterval(wait.seconds)
    }
}
