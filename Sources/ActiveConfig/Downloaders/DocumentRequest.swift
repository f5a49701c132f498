package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// A request for a user's document, and the interpretation of answers, for downloads, streams and
/// long polls alike.
package struct DocumentRequest: Sendable {
    /// Header fields that make a request conditional.
    private static let conditions = ["If-None-Match", "If-Modified-Since"]

    package var request: URLRequest
    /// The URL that errors name.
    package let url: URL?
    private let lastKnown: ConfigurationState?

    /// Completes a request, which becomes conditional if the last configuration has an entity tag.
    package init(
        _ made: URLRequest, _ context: JSONURLDownloader.RequestContext,
        lastKnown: ConfigurationState?, reportedURL: URL?
    ) throws {
        request = try made.checked(reportedURL: reportedURL)
        url = reportedURL ?? made.url
        self.lastKnown = lastKnown
        if let tag = context.entityTag, request.value(forHTTPHeaderField: "If-None-Match") == nil {
            request.setValue(tag, forHTTPHeaderField: "If-None-Match")
        }
        request.nameTemplateVersion(context.templateVersion)
    }

    /// True for a document, and for a 304 to a conditional request; to an unconditional one a 304
    /// is invalid.
    package func isAnswered(by head: HTTPURLResponse) -> Bool {
        isUnchanged(head) || 200...299 ~= head.statusCode
    }

    private func isUnchanged(_ head: HTTPURLResponse) -> Bool {
        head.statusCode == 304 && lastKnown != nil
            && Self.conditions.contains { request.value(forHTTPHeaderField: $0) != nil }
    }

    /// The document of such an answer, or the confirmation by a 304; nil means unchanged.
    ///
    /// - Throws: ``ConfigurationFormatError``.
    package func configuration(
        _ body: Data, of head: HTTPURLResponse, limits: ConfigurationLimits
    ) throws -> ConfigurationState? {
        isUnchanged(head)
            ? lastKnown?.confirmed(by: head)
            : try ConfigurationState(body, answeredBy: url, with: head, to: request, limits: limits)
    }
}

extension URLRequest {
    /// The request, if its URL is an http or https URL.
    package func checked(reportedURL: URL?) throws -> URLRequest {
        guard ["http", "https"].contains(url?.scheme?.lowercased()) else {
            throw DownloadError(.notHTTP, url: reportedURL ?? url)
        }
        return self
    }
}
