package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

extension DownloadError {
    /// The error of a task that has failed, after the head of an answer or without one.
    ///
    /// The system's error has the whole URL, with the user and the query; that is left out.
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
