import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import NIOSSL
import TemplateStore

/// A request to a provider.
package struct ProviderRequest: Sendable {
    package let url: String
    package var headerFields: [(name: String, value: String)] = []

    /// The body of a `POST`, form-encoded; nil for `GET`.
    package var form: String?

    /// A larger answer is an error.
    package var maximumBytes = 256 << 10
}

/// The answer of a provider.
package struct ProviderAnswer: Sendable {
    package let status: Int
    package let body: Data

    package init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}

/// Sends requests to a provider; tests answer themselves.
package protocol ProviderTransport: Sendable {
    /// - Throws: An ``OpenIDError`` when there is no complete answer in time, or it is too large.
    func answer(to request: ProviderRequest) async throws(OpenIDError) -> ProviderAnswer
}

/// Sends requests over HTTP, and follows no redirects.
struct HTTPProviderTransport: ProviderTransport {
    /// For the whole answer.
    private static let timeLimit: Duration = .seconds(10)

    /// The certificates that verify the provider's; nil means the system's.
    let authorities: [NIOSSLCertificate]?

    func answer(to request: ProviderRequest) async throws(OpenIDError) -> ProviderAnswer {
        // The time limit of the client ends with the head of an answer.
        let answer = await result(within: Self.timeLimit) {
            () async -> Result<ProviderAnswer, any Error> in
            do { return .success(try await sent(request)) } catch { return .failure(error) }
        }
        let host = URLComponents(string: request.url)?.host ?? ""
        switch answer {
        case .success(let answer)?: return answer
        case nil:
            throw OpenIDError(
                "The provider \(host) does not answer within \(Self.timeLimit).",
                isOfProvider: true)
        case .failure(let error)?:
            if error is NIOTooManyBytesError {
                throw OpenIDError(
                    "The provider \(host) sent more than \(request.maximumBytes) bytes.",
                    isOfProvider: true)
            }
            throw OpenIDError(
                "The provider \(host) does not answer: \("\(error)".quoted).", isOfProvider: true)
        }
    }

    private func sent(_ request: ProviderRequest) async throws -> ProviderAnswer {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(Self.timeLimit), read: TimeAmount(Self.timeLimit)))
        configuration.httpVersion = .http1Only
        if let authorities {
            configuration.tlsConfiguration = .makeClientConfiguration()
            configuration.tlsConfiguration?.trustRoots = .certificates(authorities)
        }
        configuration.connectionPool.retryConnectionEstablishment = false
        var message = HTTPClientRequest(url: request.url)
        message.headers.add(name: "Accept", value: "application/json")
        for (name, value) in request.headerFields { message.headers.add(name: name, value: value) }
        if let form = request.form {
            message.method = .POST
            message.headers.add(
                name: "Content-Type", value: "application/x-www-form-urlencoded")
            message.body = .bytes(ByteBuffer(string: form))
        }
        // Sign-ins are rare: a client of its own needs no owner that ends it.
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<ProviderAnswer, any Error>
        do {
            let response = try await client.execute(
                message, deadline: .now() + .init(Self.timeLimit))
            let body = try await response.body.collect(upTo: request.maximumBytes)
            result = .success(
                ProviderAnswer(
                    status: Int(response.status.code), body: Data(buffer: body)))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }
}
