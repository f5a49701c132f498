import ActiveConfig

/// Long polls (*Client protocol*, section 2), used where streams do not get through.
extension UserUpdates {
    /// Unchanged answers faster than this do not count as having waited.
    private static let quickAnswer = Duration.seconds(1)

    /// Polls repeatedly, each time until something changes.
    func longPoll(_ connection: any ActiveConfigEventConnection) async throws -> End {
        var quickCount = 0
        var isLive = false
        while true {
            let streamsAreDue = state.withLock { $0.noStreamsUntil } <= time.elapsed()
            if streamsAreDue { return .otherWay }
            let (newest, asked) = try await feed.requestBase()
            guard asked?.entityTag != nil else { return .poll }
            let wait = min(max(options.longPollWait, .seconds(1)), .seconds(60))
            let began = time.elapsed()
            let answer = try await connection.document(lastKnown: asked, wait: wait)
            updater.failures.noteSuccess(of: userID, at: .longPoll)
            state.withLock { state in
                if state.openedAt == nil { state.openedAt = began }
            }
            if answer.configuration != nil || answer.hasWaited {
                await feed.confirm(by: answer.configuration, asked: asked)
            }
            let new = answer.configuration
            if let new, asked?.isLater(than: new) == true {
                // A server that does not have the client's version answers at once, also next time.
                if try await fetchBehind(over: connection) { return .poll }
            } else if let new, isOther(new, than: asked) {
                try await take(new, after: newest, over: connection)
                if new.entityTag == nil { return .poll }
            } else if !answer.hasWaited, answer.retryAfter == nil {
                let until = time.elapsed() + options.retryStreamsAfter
                state.withLock { $0.noLongPollsUntil = until }
                return .poll
            }
            if let retryAfter = answer.retryAfter {
                return .over(.askedByServer, asked: retryAfter)
            }
            if !isLive { show(.live(since: time.date())) }
            isLive = true
            let isQuick = time.elapsed() - began < Self.quickAnswer
            quickCount = isQuick ? quickCount + 1 : 0
            // Immediate answers must not loop; clients with the same requested delay must not
            // collide.
            if quickCount > 10 { return .over(.connectionEnded) }
            try await time.sleep(random(upTo: isQuick ? .seconds(2) : .milliseconds(200)))
        }
    }

    /// True for a document with other content, or one that replaces a version that the server's store
    /// never made.
    ///
    /// A confirmed document has the same content.
    private func isOther(_ new: ConfigurationState, than asked: ConfigurationState?) -> Bool {
        new.entityTag != asked?.entityTag || (!new.isConfirmation && new.replacedVersion != nil)
    }

    /// Downloads the document after a long poll was answered with a lower version than the client's, so
    /// that the download decides on it and reports it.
    ///
    /// - Returns: True when the user's version stays.
    private func fetchBehind(
        over connection: any ActiveConfigEventConnection
    ) async throws -> Bool {
        let document = SingleFetchDownloader(connection, of: userID, updater.failures)
        try await fetch(document)
        return document.isBehind
    }

    /// Applies a whole document that was held back until it changed.
    private func take(
        _ new: ConfigurationState, after newest: ConfigurationState?,
        over connection: any ActiveConfigEventConnection
    ) async throws {
        let outcome = await feed.receive { now in
            guard let now else { return .apply(new) }
            let isSame = newest.map { DocumentRecord($0) } == DocumentRecord(now)
            guard let version = new.templateVersion, let other = now.templateVersion else {
                return isSame ? .apply(new) : .fetch
            }
            // A newer document can have arrived during the poll, by an app's own download.
            return new.isLater(than: now) || (version == other && isSame) ? .apply(new) : .skip
        }
        switch outcome {
        case .applied(_, let result):
            note(new.meta)
            tell(new, result)
        case .skipped: break
        // For example if documents have to be signed.
        case .needsFetch: try await fetchAgain(over: connection)
        case .cancelled: throw CancellationError()
        }
    }
}
