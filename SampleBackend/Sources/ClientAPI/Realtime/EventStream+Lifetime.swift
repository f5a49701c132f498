import HTTPServing
import NIOCore

extension EventStream {
    /// Sends a heartbeat, or disconnects a client that has not read for too long.
    func beat() {
        if !lifetime.isAllowed() {
            end(after: hub.reconnectDelay())
            return
        }
        guard queuedBytes > 0 else {
            send(ServerSentEvent.heartbeat.bytes(isChunked: isChunked))
            return
        }
        if queuedSince + TimeAmount(hub.unreadTime) < .now() {
            cutOff()
        }
    }

    func cutOff() {
        hub.metrics.countSlowReader()
        context?.channel.reset()
    }

    /// Ends the stream with an event that contains the delay before reconnecting.
    ///
    /// A client that does not read receives it after the queued events, or is disconnected as
    /// usual.
    func end(after milliseconds: Int) {
        guard let context, !isEnding else { return }
        isEnding = true
        var bytes = StreamEvents.goodbye(after: milliseconds).bytes(isChunked: isChunked)
        if isChunked { bytes.writeImmutableBuffer(EventChunk.last) }
        write(bytes, publication: nil, context: context)
    }

    /// Ends the stream for a shutdown, without waiting for clients that do not read.
    func endForShutdown() {
        end(after: hub.reconnectDelay())
        close()
    }
}
