import ActiveConfig
import ActiveConfigEventStream
import Foundation

/// Following a user's stream of changes (*Client protocol*, section 2).
extension UserUpdates {
    /// The maximum size, in documents, that a stream may send per minute.
    private static let documentsPerMinute = 8
    /// The longest random delay of a fetch that was requested of many clients; as much again for
    /// each download of the minute, up to the limit.
    private static let fetchSpread = Duration.seconds(1)
    private static let fetchSpreadLimit = 30
    /// Maximum number of fetches of a document that is older than the stream announced.
    private static let fetchAttempts = 4

    /// Opens the stream on the document's connection, and reads it to its end.
    ///
    /// - Throws: ``NoEventStreamError`` when there is none, or nothing comes through.
    func follow(
        _ connection: any ActiveConfigEventConnection, from record: DocumentRecord,
        isServerBehind: Bool
    ) async throws -> End {
        var initial = StreamProgress(base: record, heardAt: time.elapsed())
        initial.isServerBehind = isServerBehind
        let progress = Locked(initial)
        try await connection.openEvents(lastEventID: record.version.map { "\($0)" })
        progress.withLock { $0.heardAt = time.elapsed() }
        // Each with the number of changes so far, so that one verification covers all earlier ones.
        let (pushes, push) = AsyncStream.makeStream(
            of: Int.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup(of: End.self) { group in
            defer { group.cancelAll() }
            // The task that ends first decides how the stream ends: at its last event, by silence,
            // or by an error. The caller closes the connection.
            group.addTask { [self] in try await read(connection, progress, push) }
            group.addTask { [self] in try await watch(progress) }
            group.addTask { [self] in
                var verifiedCount = 0
                for await count in pushes where count > verifiedCount {
                    if let count = try await verify(progress) { verifiedCount = count }
                }
                throw CancellationError()
            }
            guard let end = try await group.next() else { throw CancellationError() }
            return end
        }
    }

    /// Ends a silent stream.
    ///
    /// Beside `read`, which waits for the transport: a connection can be lost without an end or an
    /// error, as after a change of the network.
    private func watch(_ progress: Locked<StreamProgress>) async throws -> End {
        while true {
            let (heardAt, isTaking, hasEvent) = progress.withLock {
                ($0.heardAt, $0.isTaking, $0.hasEvent)
            }
            // A proxy that buffers answers passes on the head, but no event; it lets long polls
            // through.
            let limit = hasEvent ? options.maximumSilence : options.helloTimeout
            // While `read` processes an event it reads nothing, so the time is no silence.
            let rest = isTaking ? limit : limit - (time.elapsed() - heardAt)
            if rest <= .zero {
                if !hasEvent { throw NoEventStreamError("nothing arrives on it") }
                return .over(.silence)
            }
            try await time.sleep(rest)
        }
    }

    /// Reads and processes events, one at a time, so that changes apply in the server's order.
    ///
    /// - Throws: ``DownloadError`` for a stream that sends more than whole documents would need: a
    ///   faulty server must not keep the device busy.
    private func read(
        _ connection: any ActiveConfigEventConnection, _ progress: Locked<StreamProgress>,
        _ push: AsyncStream<Int>.Continuation
    ) async throws -> End {
        let maximumCount = Self.documentsPerMinute * ConfigurationLimits.default.maximumSize
        while let event = try await connection.nextEvent() {
            let now = time.elapsed()
            // Any bytes end the silence, also comments and parts of an event.
            let isFlooding = progress.withLock { progress in
                progress.heardAt = now
                if now - progress.minute >= .seconds(60) {
                    progress.minute = now
                    (progress.byteCount, progress.fetchCount) = (0, 0)
                }
                progress.byteCount += event.byteCount
                return progress.byteCount > maximumCount
            }
            if isFlooding { throw DownloadError(.bodyTooLarge) }
            switch event.element {
            case nil: break
            case .comment: await takeHeartbeat(progress)
            case .retry(let milliseconds):
                state.withLock { $0.delay.setBase(milliseconds: milliseconds) }
            case .event(let event):
                noteEvent(progress)
                progress.withLock { $0.isTaking = true }
                // Can take long: a fetch beside the stream, a vetting, a write to the store.
                if let end = try await take(event, progress, push) { return end }
                let now = time.elapsed()
                progress.withLock { ($0.isTaking, $0.heardAt) = (false, now) }
            }
            try Task.checkCancellation()
        }
        return .over(.connectionEnded)
    }

    private func takeHeartbeat(_ progress: Locked<StreamProgress>) async {
        let now = time.elapsed()
        guard let tag = progress.withLock({ $0.noteHeartbeat(at: now) }) else { return }
        progress.withLock { $0.isTaking = true }
        // Waits while another process or the app writes to the store.
        await feed.confirmDocument(entityTag: tag)
        let heardAt = time.elapsed()
        progress.withLock { ($0.isTaking, $0.heardAt) = (false, heardAt) }
    }

    private func noteEvent(_ progress: Locked<StreamProgress>) {
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
        _ event: ServerEvent, _ progress: Locked<StreamProgress>,
        _ push: AsyncStream<Int>.Continuation
    ) async throws -> End? {
        switch event.name {
        case "hello": try await takeHello(event, progress)
        case "update": try await takeUpdate(event, progress, push)
        case "reset": try await takeReset(event, progress)
        case "retry": takeRetry(event)
        default: nil
        }
    }

    private func takeHello(
        _ event: ServerEvent, _ progress: Locked<StreamProgress>
    ) async throws -> End? {
        let data = try? SettingValue(jsonData: Data(event.data))
        let version = data?.dictionaryValue?["template_version"]?.integerValue
        let isLower = progress.withLock { progress in
            defer { progress.noteGreeting() }
            return progress.noteNamed(version)
        }
        if let share = data?.dictionaryValue?["acknowledge"]?.doubleValue {
            feed.confirmActive(headerFields: ["activeconfig-acknowledge": "\(share)"])
        }
        return isLower ? try await fetchLower(progress) : nil
    }

    private func takeUpdate(
        _ event: ServerEvent, _ progress: Locked<StreamProgress>,
        _ push: AsyncStream<Int>.Continuation
    ) async throws -> End? {
        let update = try PushedUpdate(event.data, limits: .default)
        let (place, base) = progress.withLock { ($0.place(of: update), $0.base) }
        switch place {
        case .repeated: return nil
        case .afterGap:
            feed.log(
                .warning,
                "A change of \(userID.logName) did not arrive; the configuration is downloaded.")
            return try await fetchAnew(progress, for: update.record)
        case .next: break
        }
        switch await feed.receive({ update.decision(on: $0, base: base) }) {
        case .applied(let new, let result):
            let count = progress.withLock { progress in
                progress.base = update.record
                progress.isServerBehind = false
                progress.pushCount += 1
                return progress.pushCount
            }
            note(new.meta)
            tell(new, result)
            push.yield(count)
            return nil
        case .skipped:
            // Known, older, ignored by a vetting, or superseded in the store.
            let isLower = progress.withLock { progress in
                if (update.record.version ?? 0) >= (progress.base.version ?? 0) {
                    progress.base = update.record
                }
                return progress.noteNamed(update.record.version)
            }
            return isLower ? try await fetchLower(progress) : nil
        case .needsFetch: return try await fetchAnew(progress, for: update.record)
        case .cancelled: throw CancellationError()
        }
    }

    private func takeReset(
        _ event: ServerEvent, _ progress: Locked<StreamProgress>
    ) async throws -> End? {
        let data = try? SettingValue(jsonData: Data(event.data))
        // The data can name an earlier version, for clients that do not adopt versions.
        let version = [
            event.id.flatMap { Int($0) },
            data?.dictionaryValue?["template_version"]?.integerValue,
        ].compactMap(\.self).max()
        progress.withLock { progress in
            progress.eventNumber += 1
            progress.resumeVersion = version
        }
        return try await fetchAnew(
            progress, for: DocumentRecord(version: version, entityTag: nil))
    }

    private func takeRetry(_ event: ServerEvent) -> End {
        let data = try? SettingValue(jsonData: Data(event.data))
        let milliseconds = data?.dictionaryValue?["after_ms"]?.integerValue
        return .over(
            .askedByServer,
            asked: milliseconds.map { .milliseconds(min(max($0, 0), 1_000_000_000)) })
    }

    /// Fetches the document until it is at least as new as the stream announced.
    ///
    /// - Returns: An end when the documents stay older.
    private func fetchAnew(
        _ progress: Locked<StreamProgress>, for wanted: DocumentRecord
    ) async throws -> End? {
        let held = progress.withLock { $0.base.version }
        for attempt in 1...Self.fetchAttempts {
            let count = progress.withLock { progress in
                progress.fetchCount += 1
                return min(progress.fetchCount, Self.fetchSpreadLimit)
            }
            try await time.sleep(random(upTo: Self.fetchSpread * count))
            let record = try await fetchBeside()
            // A lagging replica may have answered, unless the newer document is refused.
            let refused = feed.newestRefusedVersion
            let newest = max(record.version ?? .max, refused ?? .min)
            let isOlder = newest < wanted.version ?? .min
            let isOther =
                record.version == wanted.version && wanted.entityTag != nil
                && record.entityTag != wanted.entityTag
            if isOlder || (isOther && attempt == 1) { continue }
            if isLower(record, than: held) { return .otherWay }
            progress.withLock { $0.noteFetched(record) }
            return nil
        }
        return .over(.connectionEnded)
    }

    /// Fetches the document after an event that named a lower version than the client's: the server
    /// finds out whether it ever made the client's version (PROTOCOL 1).
    ///
    /// - Returns: An end when the client now has a lower version, from which the next stream
    ///   continues.
    private func fetchLower(_ progress: Locked<StreamProgress>) async throws -> End? {
        let held = progress.withLock { $0.base.version }
        let record = try await fetchBeside()
        return isLower(record, than: held) ? .otherWay : nil
    }

    private func isLower(_ record: DocumentRecord, than held: Int?) -> Bool {
        guard let version = record.version, let held else { return false }
        return version < held
    }

    /// Fetches the document on another connection, since the stream's is in use.
    private func fetchBeside() async throws -> DocumentRecord {
        let connection = updater.source.connection(forUserID: userID.string)
        defer { connection.close() }
        return try await fetchAgain(over: connection)
    }

    /// Verifies, some time after a pushed change, that the resulting document is the server's.
    ///
    /// - Returns: The number of changes before the request, all of which it verifies; nil when it
    ///   failed.
    private func verify(_ progress: Locked<StreamProgress>) async throws -> Int? {
        let bounds = options.verification
        try await time.sleep(
            bounds.lowerBound + random(upTo: bounds.upperBound - bounds.lowerBound))
        let connection = updater.source.connection(forUserID: userID.string)
        defer { connection.close() }
        let document = SingleFetchDownloader(connection, of: userID, updater.failures)
        let count = progress.withLock { $0.pushCount }
        // The stream is open, so a failure here does not concern the connection.
        guard let record = try? await fetch(document), let answer = document.answer else {
            return nil
        }
        guard let new = answer.configuration, !new.isConfirmation else { return count }
        if let known = document.lastKnown, new.entityTag != known.entityTag,
            new.templateVersion == known.templateVersion
        {
            feed.log(
                .warning,
                "The pushed changes of \(userID.logName) did not lead to the server's document; it was "
                    + "downloaded.")
        }
        progress.withLock { $0.noteFetched(record) }
        return count
    }
}
