import Foundation
import HTTPServing
import NIOCore
import Rendering
import Targeting
import Templates

extension ProjectStreams {
    /// The maximum assumed clock error of another server, in seconds.
    private static let maximumClockError = 3_600.0

    /// Sends a reconnecting client the changes since its `Last-Event-ID`.
    func catchUp(_ stream: StreamSubscription) {
        guard let version = stream.request.lastVersion else { return }
        let current = published.compiled.version.number
        guard version >= 1 else {
            reset(stream)
            return
        }
        guard version <= current else {
            stream.isCatchingUp = true
            waitForVersion(of: stream)
            return
        }
        guard version > versionFloor(of: stream) else {
            compareDocument(of: stream, since: version)
            return
        }
        guard version != current else {
            sendPinnedValues(to: stream)
            return
        }
        guard let known = earlierVersions.version(version, on: eventLoop) else {
            reset(stream, since: version)
            return
        }
        stream.isCatchingUp = true
        known.assumeIsolated().whenComplete { result in
            guard !stream.isClosed else { return }
            stream.isCatchingUp = false
            // Otherwise the store failed or no longer has the version.
            if case .success(let known?) = result {
                self.sendChange(to: stream, since: known)
            } else {
                self.reset(stream, since: version)
            }
            // Versions published during the lookup were not announced to this stream.
            stream.advance(to: self.published.compiled.version.number)
        }
    }

    /// Sends a `reset`, unless the client's tag is that of its current document.
    ///
    /// For versions up to the version floor: the client may have other content under the number than
    /// the store, or pinned values that the store has lost.
    private func compareDocument(of stream: StreamSubscription, since version: Int) {
        if hasCurrentDocument(stream) == true {
            send(nil, to: stream, since: version)
        } else {
            reset(stream, since: version)
        }
    }

    /// True when the client's tag is that of its current document, of the content or of all bytes; nil
    /// when it sent none.
    private func hasCurrentDocument(_ stream: StreamSubscription) -> Bool? {
        // The tag of an OpenFeature provider is that of its flags.
        guard stream.request.format == .activeConfig, let tag = stream.request.documentTag else {
            return nil
        }
        let (published, userID) = (published, stream.request.document.userID)
        let content = published.entityTag(for: stream.basis, userID: userID).entityTag
        if tag.matches(content.opaqueTag) { return true }
        let document = published.rendered(for: stream.basis, userID: userID).document
        return tag.matches(document.exactIdentity.entityTag.opaqueTag)
    }

    /// The version floor, with which the client is compared now.
    private func versionFloor(of stream: StreamSubscription) -> Int {
        stream.versionFloor = hub.library.versionFloor
        return stream.versionFloor
    }

    /// Makes the clients of streams fetch their documents that were compared with stored versions
    /// before the version floor was raised.
    func resetIfRaised() {
        let floor = hub.library.versionFloor
        guard floor > versionFloor else { return }
        versionFloor = floor
        // Copies the list, because a stream that ends leaves it.
        let open = subscriptions
        // A client that is catching up is compared with the new floor.
        for case let stream as StreamSubscription in open
        where !stream.isClosed && !stream.isCatchingUp && stream.versionFloor < floor {
            stream.versionFloor = floor
            reset(stream)
        }
    }

    /// Sends the changes since a version, if any.
    func sendChange(to stream: StreamSubscription, since earlier: CompiledTemplate) {
        // The floor may have been raised while the version or the pinned values were read.
        guard earlier.version.number > versionFloor(of: stream) else {
            compareDocument(of: stream, since: earlier.version.number)
            return
        }
        let context = stream.request.targetingContext
        let touched = hub.sectionsWithChangedOverrides(
            ofUser: context.userID, inProject: name, since: earlier.version.number)
        let dates = [earlier.conditions.dates, published.compiled.conditions.dates].joined()
        // The version's time may come from another server's clock.
        let start = min(earlier.version.updateTime, context.date) - Self.maximumClockError
        guard let touched, !dates.contains(where: { $0 > start && $0 <= context.date }) else {
            // The client's document depends on when it was fetched, so the changes are unknown.
            reset(stream, since: earlier.version.number)
            return
        }
        // Either version can have archived a setting with a pinned value.
        let pinned = published.pins(ofUser: context.userID)
        let earlierBasis = DocumentBasis(
            results: earlier.conditions.evaluate(context), overrides: earlier.effective(pinned))
        let key = CatchUpKey(
            version: earlier.version.number, old: earlierBasis, new: stream.basis,
            touchedSections: touched.union(pinned?.sections.keys ?? [:].keys),
            format: stream.request.format)
        if let event = catchUpEvents[key] {
            send(event, to: stream, since: earlier.version.number)
            return
        }
        let change = DocumentChange(
            from: earlier, earlierBasis, to: published.compiled, stream.basis,
            touchedSections: key.touchedSections)
        let event = change.isEmpty ? nil : event(of: change, for: stream)
        let isShared = change.isEmpty || !published.compiled.showsUserID
        if isShared, catchUpEvents.count < Self.maximumCatchUpEvents {
            catchUpEvents[key] = .some(event)
        }
        send(event, to: stream, since: earlier.version.number)
    }

    /// Sends a change since a version, or only the ID of the current version when nothing has
    /// changed.
    ///
    /// Without a change, a client with another tag gets a `reset`: it has other content under the
    /// same number, as after a restart of a store in memory.
    private func send(
        _ event: EventChunk?, to stream: StreamSubscription, since earlier: Int
    ) {
        if let event {
            tell(stream, StreamEvent(chunk: event))
        } else if hasCurrentDocument(stream) == false {
            reset(stream, since: earlier)
        } else if published.compiled.version.number > earlier,
            !stream.request.namesUser
        {
            _ = stream.tell(StreamEvents.id(published.compiled.version.number))
        }
    }

    private func tell(_ stream: StreamSubscription, _ event: StreamEvent) {
        stream.eventCount += 1
        _ = stream.tell(event)
    }

    /// Notifies a client to fetch its document again, which may still be unchanged since an earlier
    /// version.
    func reset(_ stream: StreamSubscription, since earlier: Int? = nil) {
        let version = published.compiled.version
        // The store may have been replaced with an older one.
        let earlier = earlier.flatMap { $0 <= version.number ? $0 : nil }
        tell(
            stream,
            stream.request.format == .openFeature
                ? StreamEvent(chunk: StreamEvents.refetch(version))
                : StreamEvents.reset(version: version.number, since: earlier))
    }

    private func event(of change: DocumentChange, for stream: StreamSubscription) -> EventChunk {
        switch stream.request.format {
        case .openFeature: StreamEvents.refetch(published.compiled.version)
        case .activeConfig, .poll:
            StreamEvents.update(
                change, number: stream.eventCount + 1,
                forUserID: stream.request.document.userID, basis: stream.basis, in: published)
        }
    }
}
