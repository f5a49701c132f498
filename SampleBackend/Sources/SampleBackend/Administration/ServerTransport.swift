import ConfigServer
import Foundation
import HTTPServing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests to a server over HTTP.
struct ServerTransport: AdministrationTransport {
    /// Time limit for a response, in seconds.
    private static let timeout: TimeInterval = 30

    let server: URL

    /// Nil sends no token.
    let token: Secret?

    func send(_ request: AdministrationRequest) async throws -> AdministrationAnswer {
        let base = server.absoluteString
        let text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + request.path
        guard let url = URL(string: text) else {
            throw CommandFailure(
                "\"\(text.withoutUserInformation)\" is no URL: check --server.", code: Exit.failure)
        }
        var urlRequest = URLRequest(url: url, timeoutInterval: Self.timeout)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        if let token {
            urlRequest.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization")
        }
        if let ifMatch = request.ifMatch {
            urlRequest.setValue(ifMatch, forHTTPHeaderField: "If-Match")
        }
        if request.body != nil {
            urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        do {
            let (body, response) = try await URLSession.shared.data(for: urlRequest)
            guard let response = response as? HTTPURLResponse else {
                throw URLError(.badServerResponse)
            }
            let warning = response.value(forHTTPHeaderField: "Warning")
            return AdministrationAnswer(
                status: response.statusCode,
                entityTag: response.value(forHTTPHeaderField: "ETag"),
                warnings: warning.map(WarningField.texts) ?? [], body: body)
        } catch let error as URLError {
            throw CommandFailure(
                "The server \(base.withoutUserInformation) cannot be reached (\(error.localizedDescription)): start it "
                    + "with \"sample-backend serve\", or check --server.",
                code: Exit.unavailable)
        }
    }
}
