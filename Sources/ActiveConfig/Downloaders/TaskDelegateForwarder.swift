#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking

    /// The delegate of a session whose tasks have delegates of their own.
    ///
    /// Foundation on Linux tells a task's delegate of redirects and challenges only, and the session's of
    /// all else.
    final class TaskDelegateForwarder: NSObject, URLSessionDataDelegate, Sendable {
        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            delegate(of: dataTask)?.urlSession(
                session, dataTask: dataTask, didReceive: response,
                completionHandler: completionHandler)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
        ) {
            delegate(of: dataTask)?.urlSession(session, dataTask: dataTask, didReceive: data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            delegate(of: task)?.urlSession(session, task: task, didCompleteWithError: error)
        }

        private func delegate(of task: URLSessionTask) -> (any URLSessionDataDelegate)? {
            task.delegate as? any URLSessionDataDelegate
        }
    }
#endif
