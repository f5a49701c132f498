public import Foundation

/// A failure to get a usable answer from a server.
public struct DownloadError: Error, Sendable {
    /// The kind of fault.
    ///
    /// Codes may be added: keep a `default` when you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case httpStatus, timedOut, cannotConnect, connectionLost, bodyTooLarge, redirectRefused
            case notHTTP, noDownloader, noCredentials, throttled, other
        }

        private let kind: Kind

        /// The server answered with a status other than 2xx, or with a 304 to an unconditional
        /// request.
        public static let httpStatus = Code(kind: .httpStatus)
        /// The answer was not complete in time.
        public static let timedOut = Code(kind: .timedOut)
        /// The server could not be reached: offline, no such host, refused.
        public static let cannotConnect = Code(kind: .cannotConnect)
        /// The connection broke before the answer was complete.
        public static let connectionLost = Code(kind: .connectionLost)
        /// The answer exceeded the size limit of a document and was not read further.
        public static let bodyTooLarge = Code(kind: .bodyTooLarge)
        /// The server redirected to another host, from https to http, or a request with a body to
        /// another port.
        public static let redirectRefused = Code(kind: .redirectRefused)
        /// The URL is not an http or https URL.
        public static let notHTTP = Code(kind: .notHTTP)
        /// The ``ActiveConfig`` was created without a downloader.
        public static let noDownloader = Code(kind: .noDownloader)
        /// The app gave no credentials: its closure threw, or returned text that a header field
        /// cannot carry.
        ///
        /// The error's description has the text of a system error or `LocalizedError` that the closure
        /// threw, and names the type of any other, whose text may contain the token.
        public static let noCredentials = Code(kind: .noCredentials)
        /// No request was made, because of a wait after a failure or requested by the server; see
        /// ``retryAfter`` and ``FetchPolicy``.
        ///
        /// ``status`` is that of the answer that caused the wait.
        public static let throttled = Code(kind: .throttled)
        /// Any other fault of the connection; see ``underlyingError``.
        public static let other = Code(kind: .other)

        /// The code's name, such as `timedOut`.
        public var description: String { kind.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// The status of the server's answer, if there was one; for ``Code/throttled`` that of the last
    /// answer.
    public let status: Int?
    /// The URL of the request, without parts that may hold secrets: query, fragment, user, password.
    public let url: URL?
    /// The wait requested by the server (`Retry-After`), at most a day; for ``Code/throttled`` the
    /// rest of the wait.
    ///
    /// It is a minimum: with a ``FetchPolicy`` the wait can be longer, until
    /// ``ConfigurationStatus/throttledUntil``.
    public let retryAfter: Duration?
    /// The server's explanation of an error status, on one line: its first 300 Unicode scalars,
    /// with control characters escaped; nil when there is none.
    ///
    /// Attribute it to the server when you show it. Repeated parts of the request are removed:
    /// credentials, query and user, plain or percent-encoded. Those that the server has escaped for
    /// HTML or JSON remain.
    public let serverMessage: String?
    /// The system's error, or that of the app's credentials.
    public let underlyingError: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - status: The status that the server answered with.
    ///   - url: The URL of the request; parts that may hold secrets are removed here.
    ///   - retryAfter: How long to wait before the next request.
    ///   - serverMessage: The server's explanation; shortened here to one line.
    ///   - underlyingError: The system's error.
    public init(
        _ code: Code, status: Int? = nil, url: URL? = nil, retryAfter: Duration? = nil,
        serverMessage: String? = nil, underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.status = status
        self.url = url.flatMap(\.withoutSecrets)
        self.retryAfter = retryAfter
        self.serverMessage = serverMessage.map { $0.oneLine(upTo: Self.longestServerMessage) }
        self.underlyingError = underlyingError
    }

    /// In Unicode scalars.
    package static let longestServerMessage = 300
}

extension DownloadError.Code: Codable {
    /// Creates the code of a stored name; one of a later version of the framework is ``other``.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        kind = Kind(rawValue: name) ?? .other
    }

    /// Encodes the code's name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(kind.rawValue)
    }
}

extension URL {
    /// The URL without the parts that may hold secrets: query, fragment, user, password.
    var withoutSecrets: URL? {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.query = nil
        components?.fragment = nil
        components?.user = nil
        components?.password = nil
        return components?.url
    }
}

extension DownloadError: Hashable {
    /// Returns a Boolean value that indicates whether code, status, URL, `retryAfter`,
    /// `serverMessage`, and domain and code of the underlying error are equal.
    public static func == (left: DownloadError, right: DownloadError) -> Bool {
        let (first, second) = (left.underlyingError as NSError?, right.underlyingError as NSError?)
        return left.code == right.code && left.status == right.status && left.url == right.url
            && left.retryAfter == right.retryAfter && left.serverMessage == right.serverMessage
            && first?.domain == second?.domain && first?.code == second?.code
    }

    /// Hashes code, status and URL.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(status)
        hasher.combine(url)
    }
}

extension DownloadError: CustomStringConvertible {
    /// One sentence with the failure, the URL, and the server's explanation, marked as such.
    public var description: String {
        serverMessage.map { "\(sentence) The server says: \($0)" } ?? sentence
    }

    private var sentence: String {
        let source = url.map { "The server at \($0.absoluteString)" } ?? "The server"
        let sentence =
            switch code {
            case .httpStatus: "\(source) answered with status \(status.map(String.init) ?? "?")"
            case .timedOut: "\(source) did not answer completely in time"
            case .cannotConnect: "\(source) could not be reached"
            case .connectionLost: "\(source) broke the connection in the middle of its answer"
            case .bodyTooLarge: "\(source) sends more than a document may have"
            case .redirectRefused: "\(source) redirects to where the request must not go"
            case .notHTTP: "\(source) is not asked by http or https; give such a URL"
            case .noCredentials: "\(source) was not asked: the app gave no usable credentials"
            case .throttled: "\(source) is not asked again yet"
            case .noDownloader: "There is no server: this ActiveConfig has no downloader"
            default: "\(source) could not be asked"
            }
        if code == .throttled { return "\(sentence)\(wait)." }
        if let retryAfter {
            return "\(sentence), and asks to wait for \(Self.text(of: retryAfter))."
        }
        guard let underlyingError else { return "\(sentence)." }
        if code == .noCredentials { return "\(sentence) (\(underlyingError.credentialsText))." }
        // The whole description of a system error would repeat the URL with its query.
        return "\(sentence): \(underlyingError.localizedDescription)"
    }

    /// The cause and the end of a ``Code/throttled`` request's wait.
    private var wait: String {
        var text = ""
        if let status {
            text += ", since it answered with status \(status); markStale() does not end the wait"
        }
        // A fetch policy can wait longer than the server asks for.
        if let retryAfter {
            text += "; the next request may be made in \(Self.text(of: retryAfter))"
        }
        return text
    }

    /// True for a 4xx answer other than 408 and 429: the server works and rejects this request.
    var isRejection: Bool {
        guard code == .httpStatus, let status else { return false }
        return (400...499).contains(status) && status != 408 && status != 429
    }

    private static func text(of duration: Duration) -> String {
        let (whole, rest) = duration.components
        let seconds = whole + (rest > 0 ? 1 : 0)
        return "\(seconds) second\(seconds == 1 ? "" : "s")"
    }
}
