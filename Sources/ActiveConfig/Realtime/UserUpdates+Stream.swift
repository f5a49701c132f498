import ActiveConfigEventStream
import Foundation

/// Following a user's stream of changes (HTTP 2).
extension UserUpdates {
    /// What one stream has brought so far.
    private struct Progress {
        /// What the server takes for what the client has.
        var base: DocumentRecord
        /// The version after which the server continues when the stream is resumed: that of the last
        /// event, or the one that the stream was asked for.
        var resumeVersion: Int?
        /// The number of the last event that the user was sent.
        var eventNumber = 0
        var hasGreeting = false
        var heardAt: Duration
        var hasEvent = false
        /// Bytes since the start of the minute.
        var byteCount = 0
        var minute = Duration.zero

        init(base: DocumentRecord, heardAt: Duration) {
            self.base = base
            resumeVersion = base.version
            self.heardAt = heardAt
        }

        /// Notes that the stream begins, or is resumed without the client's knowledge.
        mutating func noteGreeting() {
            // What was fetched since is not what the server continues from.
            if hasGreeting, base.version != resumeVersion {
                base = DocumentRecord(version: resumeVersion, entityTag: nil)
            }
            (hasGreeting, eventNumber) = (true, 0)
        }

        /// Notes an event, and tells whether it is the next one.
        mutating func place(of update: PushedUpdate) -> Place {
            guard let number = update.number else {
                resumeVersion = update.record.version
                return .next
            }
            guard number > eventNumber else { return .repeated }
            defer { (eventNumber, resumeVersion) = (number, update.record.version) }
            return number == eventNumber + 1 ? .next : .afterGap
        }
    }

    /// Where an event stands among those of a stream.
    private enum Place {
        case next, repeated, afterGap
    }

    /// The most documents' sizes that a stream may bring in a minute.
    private static let documentsPerMinute = 8
    /// The longest random time after which clients fetch that were all told to.
    private static let fetchSpread = Duration.seconds(1)

    /// Opens the stream on the document's connection, and reads it to its end.
    ///
    /// - Throws: ``NoEventStream`` when there is none, or nothing comes through.
    func follow(
        _ connection: any ActiveConfigEventConnection, from record: DocumentRecord
    ) async throws -> End {
        let progress = Locked(Progress(base: record, heardAt: time.elapsed()))
        try await connection.openEvents(lastEventID: record.version.map { "\($0)" })
        progress.withLock { $0.heardAt = time.elapsed() }
        let (pushes, push) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup(of: End.self) { group in
            defer { group.cancelAll() }
            group.addTask { [self] in try await read(connection, progress, push) }
            group.addTask { [self] in try await watch(progress) }
            group.addTask { [self] in
                for await _ in pushes { try await verify(progress) }
                throw CancellationError()
            }
            guard let end = try await group.next() else { throw CancellationError() }
            return end
        }
    }

    /// Ends a stream on which nothing arrives.
    private func watch(_ progress: Locked<Progress>) async throws -> End {
        while true {
            let (heardAt, hasEvent) = progress.withLock { ($0.heardAt, $0.hasEvent) }
            let limit = hasEvent ? options.maximumSilence : options.helloTimeout
            let rest = limit - (time.elapsed() - heardAt)
            if rest <= .zero {
                if !hasEvent { throw NoEventStream("nothing arrives on it") }
                return .over(.silence)
            }
            try await time.sleep(rest)
        }
    }

    private func read(
        _ connection: any ActiveConfigEventConnection, _ progress: Locked<Progress>,
        _ push: AsyncStream<Void>.Continuation
    ) async throws -> End {
        let limits = ConfigurationLimits.default
        var parser = EventStreamParser(maximumBytes: limits.maximumSize)
        while let bytes = try await connection.nextBytes() {
            let now = time.elapsed()
            let isFlooding = progress.withLock { progress in
                progress.heardAt = now
                if now - progress.minute >= .seconds(60) {
                    (progress.minute, progress.byteCount) = (now, 0)
                }
                progress.byteCount += bytes.count
                return progress.byteCount > Self.documentsPerMinute * limits.maximumSize
            }
            if isFlooding { throw DownloadError(.bodyTooLarge) }
            parser.append(bytes)
            while let element = try parser.next() {
                switch element {
                case .comment: break
                case .retry(let milliseconds):
                    state.withLock { $0.delay.setBase(milliseconds: milliseconds) }
                case .event(let event):
                    noteEvent(progress)
                    if let end = try await take(event, progress, push) { return end }
                }
            }
            try Task.checkCancellation()
        }
        return .over(.connectionEnded)
    }

    private func noteEvent(_ progress: Locked<Progress>) {
        let isFirst = progress.withLock { progress in
            defer { progress.hasEvent = true }
            return !progress.hasEvent
        }
        guard isFirst else { return }
        state.withLock { $0.openedAt = time.elapsed() }
        show(.live(since: time.date()))
    }

    /// - Returns: An end when the event is the stream's last.
    private func take(
        _ event: ServerEvent, _ progress: Locked<Progress>, _ push: AsyncStream<Void>.Continuation
    ) async throws -> End? {
        switch event.name {
        case "hello": progress.withLock { $0.noteGreeting() }
        case "update":
            let update = try PushedUpdate(event.data, limits: .default)
            let (place, base) = progress.withLock { ($0.place(of: update), $0.base) }
            if place == .repeated { return nil }
            if place == .afterGap {
                config.log(
                    .warning,
                    "A change of \(userID.logName) did not arrive; the configuration is downloaded."
                )
                try await fetchAnew(progress)
                return nil
            }
            switch await config.push(to: userID, { update.decision(on: $0, base: base) }) {
            case .applied(let new, let result):
                progress.withLock { $0.base = update.record }
                note(new.meta)
                tell(new, result)
                push.yield()
            case .skipped:
                // The server never goes back; something older is a repetition.
                progress.withLock { progress in
                    if (update.record.version ?? 0) >= (progress.base.version ?? 0) {
                        progress.base = update.record
                    }
                }
            case .needsFetch: try await fetchAnew(progress)
            }
        case "reset":
            let data = try? SettingValue(jsonData: Data(event.data))
            let version = data?.dictionaryValue?["template_version"]?.integerValue
            progress.withLock { progress in
                progress.eventNumber += 1
                progress.resumeVersion = version
            }
            try await fetchAnew(progress)
        case "retry":
            let data = try? SettingValue(jsonData: Data(event.data))
            let milliseconds = data?.dictionaryValue?["after_ms"]?.integerValue
            return .over(
                .askedByServer,
                asked: milliseconds.map { .milliseconds(min(max($0, 0), 1_000_000_000)) })
        default: break
        }
        return nil
    }

    /// Fetches the document on a connection of its own, since nothing else may use the stream's.
    private func fetchAnew(_ progress: Locked<Progress>) async throws {
        try await time.sleep(random(upTo: Self.fetchSpread))
        let connection = updater.source.connection(forUserID: userID.string)
        defer { connection.close() }
        let document = OneDocument(connection)
        do {
            let record = try await fetch(document)
            progress.withLock { $0.base = record }
        } catch {
            if let retryAfter = document.retryAfter, let refused = error as? DownloadError {
                throw RefusedAnswer(refused, retryAfter: retryAfter)
            }
            throw error
        }
    }

    /// Asks, some time after a pushed change, whether the document that it led to is the server's.
    private func verify(_ progress: Locked<Progress>) async throws {
        let bounds = options.verification
        try await time.sleep(
            bounds.lowerBound + random(upTo: bounds.upperBound - bounds.lowerBound))
        let connection = updater.source.connection(forUserID: userID.string)
        defer { connection.close() }
        let document = OneDocument(connection)
        // The stream is open, so a failure here is none of the connection's.
        guard let record = try? await fetch(document), let answer = document.answer else { return }
        guard let new = answer.configuration else { return }
        if let known = document.lastKnown, new.entityTag != known.entityTag,
            new.templateVersion == known.templateVersion
        {
            config.log(
                .warning,
                "The pushed changes of \(userID.logName) did not lead to the server's document; it was "
                    + "downloaded.")
        }
        progress.withLock { $0.base = record }
    }
}
