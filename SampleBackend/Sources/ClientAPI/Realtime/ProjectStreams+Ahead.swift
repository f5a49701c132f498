import HTTPServing
import NIOCore
import Rendering
import TemplateStore
import Templates

extension ProjectStreams {
    /// Minimum time between reads of the newest version.
    private static let readInterval: TimeAmount = .milliseconds(250)

    /// Clients that have seen a later version than the server's, and the reads of the store for
    /// them.
    struct AheadClients {
        /// The waiting clients, each with the number of the first read that starts after its
        /// arrival.
        fileprivate var waiting: [(client: any AheadClient, read: Int)] = []

        /// Number of started reads.
        fileprivate var begunReads = 0

        /// The number of the last successful read.
        fileprivate var lastRead = 0

        /// True during a read and during the pause after it.
        fileprivate var isReading = false
    }

    /// Makes a client wait until the server has its version or has found that the store does not:
    /// an earlier version would take the client back.
    ///
    /// The library usually receives the version within milliseconds. The store is read anyway, once
    /// for all waiting clients, because only the store can distinguish a server that is behind from
    /// a version that does not exist.
    func waitForVersion(of client: any AheadClient) {
        aheadClients.waiting.append((client, aheadClients.begunReads + 1))
        readNewestVersion()
    }

    /// Continues the clients whose version has arrived or does not exist in the store, and refuses
    /// those whose version this server cannot read.
    func settleAheadClients() {
        guard !aheadClients.waiting.isEmpty, let library = hub.library.project(name) else { return }
        let waiting = aheadClients.waiting
        aheadClients.waiting = []
        for (client, read) in waiting where !client.isClosed {
            // The other clients are settled at the end of a pass, when every basis is up to date.
            let current = client.needsLibraryAlone ? library : published
            let canGoOn = client.needsLibraryAlone || !isPassing
            let hasVersion = client.seenVersion.isReached(by: current.compiled.version)
            let isMissing =
                read <= aheadClients.lastRead
                && !client.seenVersion.isReached(by: library.compiled.version)
            let isUnreadable =
                hub.library.unreadableVersion(ofProject: name)
                .map(client.seenVersion.isReached(by:)) ?? false
            if isUnreadable, !hasVersion {
                client.refuse()
            } else if canGoOn, hasVersion || isMissing {
                if !hasVersion {
                    hub.unknownVersions.note(
                        client.seenVersion, inProject: name, newest: library.compiled.version,
                        floor: hub.library.versionFloor)
                }
                client.goOn(hasVersion: hasVersion)
            } else {
                aheadClients.waiting.append((client, read))
            }
        }
    }

    /// Continues the clients that wait for a version of a deleted project.
    func releaseAheadClients() {
        let waiting = aheadClients.waiting
        aheadClients.waiting = []
        for (client, _) in waiting where !client.isClosed {
            if client.needsLibraryAlone { client.goOn(hasVersion: false) } else { client.refuse() }
        }
    }

    private func readNewestVersion() {
        guard !aheadClients.isReading, !aheadClients.waiting.isEmpty else { return }
        aheadClients.isReading = true
        aheadClients.begunReads += 1
        let number = aheadClients.begunReads
        let promise = eventLoop.makePromise(of: Void.self)
        Task(executorPreference: WorkThreads.streams) { [library = hub.library, name] in
            do throws(TemplateStoreError) {
                promise.succeed(try await library.readNewestVersion(ofProject: name))
            } catch {
                promise.fail(error)
            }
        }
        promise.futureResult.assumeIsolated().whenComplete { result in
            if case .success = result { self.aheadClients.lastRead = number }
            self.settleAheadClients()
            self.eventLoop.assumeIsolated().scheduleTask(in: Self.readInterval) { [weak self] in
                self?.aheadClients.isReading = false
                self?.readNewestVersion()
            }
        }
    }
}

extension StreamSubscription: AheadClient {
    /// Ends the stream; the client reconnects later, possibly to another server.
    func refuse() { stream.end(after: stream.hub.reconnectDelay()) }

    var seenVersion: SeenVersion { .number(request.lastVersion ?? 0) }
    var needsLibraryAlone: Bool { false }

    func goOn(hasVersion: Bool) {
        isCatchingUp = false
        if hasVersion {
            project.catchUp(self)
        } else {
            unknownVersion = request.lastVersion
            project.reset(self)
        }
        if !isCatchingUp { advance(to: project.published.compiled.version.number) }
    }
}
