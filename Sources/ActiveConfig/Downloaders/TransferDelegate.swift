import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a session: passes each event to the transfer it belongs to.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Locked<[Int: Transfer]>([:])

    /// Takes on a transfer before it starts.
    func add(_ transfer: Transfer) {
        transfers.withLock { $0[transfer.task.taskIdentifier] = transfer }
    }

    /// Lets a transfer go that has ended.
    func remove(_ transfer: Transfer) {
        _ = transfers.withLock { $0.removeValue(forKey: transfer.task.taskIdentifier) }
    }

    private func transfer(of task: URLSessionTask) -> Transfer? {
        transfers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = transfer(of: dataTask)?.receive(response) ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        transfer(of: task)?.redirect(to: request, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        transfer(of: task)?.complete(error)
    }
}
