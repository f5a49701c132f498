package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// The body of an error answer, as far as it has arrived: `{"error": {"message": "…"}}` (HTTP,
/// head).
package struct ErrorBody {
    /// In bytes; a longer body is not read further, and yields no message.
    package static let maximumSize = 8 << 10
    /// Limit on waiting for the rest of a body, from the head of the answer.
    ///
    /// On Linux a body after a 401 with a password challenge never ends.
    package static let timeout = Duration.seconds(1)

    private let data: Data
    private let head: HTTPURLResponse

    package init(_ data: Data, of head: HTTPURLResponse) {
        self.data = data
        self.head = head
    }

    /// True when further bytes cannot add a message.
    package var isComplete: Bool {
        if data.count >= Self.maximumSize || data.count >= length ?? .max { return true }
        if [204, 304].contains(head.statusCode) { return true }
        guard let first = data.first(where: { !$0.isJSONSpace }) else { return false }
        if first != UInt8(ascii: "{") { return true }
        // Parsing is worthwhile only at the end of an object.
        return data.last { !$0.isJSONSpace } == UInt8(ascii: "}") && content != nil
    }

    /// The length in the head; nil when there is none, or when the body is compressed.
    private var length: Int? {
        let isCompressed = head.value(forHTTPHeaderField: "Content-Encoding") != nil
        if isCompressed || head.expectedContentLength < 0 { return nil }
        return Int(clamping: head.expectedContentLength)
    }

    private var content: [String: SettingValue]? {
        let limits = ConfigurationLimits(maximumSize: Self.maximumSize, maximumDepth: 16)
        return try? SettingValue(jsonData: data, limits: limits).dictionaryValue
    }

    /// The server's message; nil when there is none.
    ///
    /// Secrets of the request that it repeats are removed: credentials, query and user.
    package func message(to request: URLRequest, of userID: String?) -> String? {
        guard let message = content?["error"]?.dictionaryValue?["message"]?.stringValue,
            !message.isEmpty
        else { return nil }
        return RequestSecrets(request, userID: userID).removed(from: message)
    }

    /// The error of a request with such an answer.
    package func error(of request: URLRequest, of userID: String?, url: URL?) -> DownloadError {
        DownloadError(
            .httpStatus, status: head.statusCode, url: url,
            retryAfter: RetryAfter.duration(in: head, now: Date()),
            serverMessage: message(to: request, of: userID))
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}
