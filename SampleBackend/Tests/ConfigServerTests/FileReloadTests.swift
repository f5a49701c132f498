import ConfigServer
import Logging
import NIOConcurrencyHelpers
import SeededRandomness
import ServerTestSupport
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FileReloadTests {
    private struct Unreadable: Error {}

    private struct MessageHandler: LogHandler {
        let messages: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { messages.yield("\(event.message)") }
    }

    private let messages: AsyncStream<String>
    private let logger: Logger

    init() {
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        self.messages = messages
        logger = Logger(label: "test") { _ in MessageHandler(messages: continuation) }
    }

    private func reload(
        timeLimit: Duration = .seconds(3_600), read: @escaping @Sendable () async throws -> Void
    ) -> FileReload {
        FileReload("file", files: "path", timeLimit: timeLimit, logger: logger, read: read)
    }

    @Test func startsDuringAReloadCauseOneMore() async throws {
        let (passes, pass) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Int.self)
        let counts = NIOLockedValueBox((all: 0, running: 0))
        var reload: FileReload? = reload {
            let now = counts.withLockedValue { counts in
                counts.all += 1
                counts.running += 1
                return counts
            }
            #expect(now.running == 1)
            begin.yield(now.all)
            for await _ in passes { break }
            counts.withLockedValue { $0.running -= 1 }
        }
        var begun = begins.makeAsyncIterator()
        reload?.start()
        #expect(await begun.next() == 1)
        for _ in 0..<3 { reload?.start() }
        pass.yield()
        #expect(await begun.next() == 2)
        pass.finish()
        // Its task holds it until nothing is left to do.
        weak let running = reload
        reload = nil
        try await waitUntil { running == nil }
        #expect(counts.withLockedValue { $0.all } == 2)
    }

    @Test func aReloadThatBlocksIsLogged() async {
        let (passes, pass) = AsyncStream.makeStream(of: Void.self)
        let reload = reload(timeLimit: .milliseconds(1)) { for await _ in passes { break } }
        reload.start()
        var lines = messages.makeAsyncIterator()
        #expect(await lines.next()?.contains("is not reloaded after") == true)
        pass.yield()
        #expect(await lines.next() == "Reloaded the file")
    }

    @Test func aFailureIsLoggedAndALaterReloadSucceeds() async {
        let isReadable = NIOLockedValueBox(false)
        let reload = reload {
            if !isReadable.withLockedValue({ $0 }) { throw Unreadable() }
        }
        var lines = messages.makeAsyncIterator()
        reload.start()
        #expect(await lines.next()?.contains("could not be reloaded") == true)
        isReadable.withLockedValue { $0 = true }
        reload.start()
        #expect(await lines.next() == "Reloaded the file")
    }
}
