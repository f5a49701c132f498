package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

extension DownloadError {
    /// The error of a failed task, before or after the head of the answer.
    ///
    /// The system's error contains the whole URL, with user and query, which is left out.
    package init(_ error: any Error, after head: HTTPURLResponse?, url: URL?) {
        var error = error
        if let failure = error as? URLError {
            error = URLError(
                failure.code, userInfo: [NSLocalizedDescriptionKey: failure.localizedDescription])
        }
        self.init(
            Code((error as? URLError)?.code, hasHead: head != nil), status: head?.statusCode,
            url: url, underlyingError: error)
    }
}

extension DownloadError.Code {
    fileprivate init(_ code: URLError.Code?, hasHead: Bool) {
        self =
            switch code {
            case .timedOut: .timedOut
            case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
                .dataNotAllowed, .internationalRoamingOff, .secureConnectionFailed:
                .cannotConnect
            case .networkConnectionLost, .badServerResponse, .zeroByteResource: .connectionLost
            // Foundation on Linux has no code for a truncated answer.
            case .unknown where hasHead: .connectionLost
            default: .other
            }
    }
}
