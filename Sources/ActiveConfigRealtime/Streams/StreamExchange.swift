import ActiveConfig
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and what has arrived of its answer, between the session's queue and the task that reads
/// it; the session closes the connection of one that fails.
final class StreamExchange: Sendable {
    let request: URLRequest
    /// The URL that errors name: another one than the request's, if that was given.
    let url: URL?
    let answer: StreamBuffer<HTTPURLResponse, UInt8>

    init(_ request: URLRequest, maximumSize: Int, reportedURL: URL? = nil) {
        var request = request
        // Restarts with every piece; the times that count are measured elsewhere.
        request.timeoutInterval = 600
        self.request = request
        url = reportedURL ?? request.url
        answer = StreamBuffer(maximumSize: maximumSize)
    }

    /// False when nothing more is wanted.
    func receive(_ data: Data) -> Bool {
        answer.receive(data, size: data.count) { head in
            DownloadError(.bodyTooLarge, status: head?.statusCode, url: url)
        }
    }
}
