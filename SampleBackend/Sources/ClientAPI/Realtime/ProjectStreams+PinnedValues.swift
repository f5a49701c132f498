import HTTPServing
import NIOCore
import Rendering
import Targeting
import TemplateStore
import Templates

extension ProjectStreams {
    /// Time between attempts to read pinned values.
    private static let retryInterval: TimeAmount = .seconds(1)

    /// Clients that wait for their pinned values to be read from the store.
    struct PinnedValueReads {
        fileprivate var waiting: [StreamSubscription] = []
        fileprivate var isReading = false
    }

    /// Sends the changes of pinned values to a client that already has the current version.
    ///
    /// The version does not show whether the client has seen later pinned values at another server,
    /// so this reads them from the store. Until the store answers, the client keeps its document.
    func sendPinnedValues(to stream: StreamSubscription) {
        let userID = stream.request.document.userID
        let touched = hub.sectionsWithChangedOverrides(
            ofUser: userID, inProject: name, since: published.compiled.version.number)
        guard touched?.isEmpty == false || published.pins(ofUser: userID) != nil else {
            sendChange(to: stream, since: published.compiled)
            return
        }
        stream.isCatchingUp = true
        pinnedValueReads.waiting.append(stream)
        readPinnedValues()
    }

    /// Reads the values of one client at a time, since few users have pinned values.
    private func readPinnedValues() {
        pinnedValueReads.waiting.removeAll(where: \.isClosed)
        guard !pinnedValueReads.isReading, let stream = pinnedValueReads.waiting.first,
            let userID = stream.request.document.userID
        else { return }
        pinnedValueReads.isReading = true
        let promise = eventLoop.makePromise(of: Void.self)
        Task(executorPreference: WorkThreads.streams) { [library = hub.library, name] in
            do throws(TemplateStoreError) {
                promise.succeed(try await library.readOverrides(ofUser: userID, inProject: name))
            } catch {
                promise.fail(error)
            }
        }
        promise.futureResult.assumeIsolated().whenComplete { result in
            self.pinnedValueReads.isReading = false
            guard case .success = result else {
                self.eventLoop.assumeIsolated().scheduleTask(in: Self.retryInterval) {
                    [weak self] in self?.readPinnedValues()
                }
                return
            }
            self.pinnedValueReads.waiting.removeAll { $0 === stream }
            self.goOn(stream)
            self.readPinnedValues()
        }
    }

    private func goOn(_ stream: StreamSubscription) {
        guard !stream.isClosed else { return }
        stream.isCatchingUp = false
        if stream.request.lastVersion == published.compiled.version.number {
            sendChange(to: stream, since: published.compiled)
        } else {
            catchUp(stream)
        }
        if !stream.isCatchingUp { stream.advance(to: published.compiled.version.number) }
    }
}
