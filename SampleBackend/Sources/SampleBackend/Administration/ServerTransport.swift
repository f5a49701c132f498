import ArgumentParser
import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests to a server over HTTP, for the commands of administrators and for `watch`.
///
/// Follows no redirects, since one could send a token to another server, and retries no request.
struct ServerTransport: AdministrationTransport {
    /// Time limit for making a connection.
    private static let connectTimeout: TimeAmount = .seconds(10)

    /// Maximum size of a response that is read as a whole.
    private static let maximumMegabytes = 64

    private let server: ServerAddress

    /// nil sends no token.
    private let token: Secret?

    private let client: HTTPClient

    /// Creates a transport; the caller closes it.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - token: The bearer token.
    ///   - timeout: The time without data after which a request fails.
    ///   - authorities: The certificates that verify the server's; nil means the system's.
    init(
        server: ServerAddress, token: Secret?, timeout: TimeAmount,
        authorities: CertificateFile? = nil
    ) {
        self.server = server
        self.token = token
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: Self.connectTimeout, read: timeout, write: timeout))
        configuration.connectionPool.retryConnectionEstablishment = false
        if let authorities {
            configuration.tlsConfiguration = .makeClientConfiguration()
            configuration.tlsConfiguration?.trustRoots = .certificates(authorities.certificates)
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(
        _ request: AdministrationRequest
    ) async throws(CommandFailure) -> AdministrationAnswer {
        try await answer(try await response(to: request))
    }

    /// Returns the response, whatever its status, as soon as its head has arrived.
    func response(
        to request: AdministrationRequest, fields: HTTPHeaders = [:]
    ) async throws(CommandFailure) -> HTTPClientResponse {
        var clientRequest = HTTPClientRequest(url: server.base + request.path)
        clientRequest.method = HTTPMethod(rawValue: request.method)
        clientRequest.headers = fields
        if let token {
            clientRequest.headers.add(name: "Authorization", value: "Bearer \(token.text)")
        }
        if let ifMatch = request.ifMatch {
            clientRequest.headers.add(name: "If-Match", value: ifMatch)
        }
        if request.isNew { clientRequest.headers.add(name: "If-None-Match", value: "*") }
        if let body = request.body {
            clientRequest.headers.add(name: "Content-Type", value: "application/json")
            clientRequest.body = .stream(
                BodyPieces(ByteBuffer(data: body)), length: .known(Int64(body.count)))
        }
        do {
            return try await client.execute(clientRequest, deadline: .distantFuture)
        } catch {
            throw await failure(error)
        }
    }

    /// Reads the rest of a response.
    func answer(
        _ response: HTTPClientResponse
    ) async throws(CommandFailure) -> AdministrationAnswer {
        do {
            let body = try await response.body.collect(upTo: Self.maximumMegabytes << 20)
            return AdministrationAnswer(
                status: Int(response.status.code),
                entityTag: response.headers.first(name: "ETag"),
                warnings: response.headers["Warning"].flatMap(WarningField.texts),
                body: Data(buffer: body))
        } catch {
            throw await failure(error)
        }
    }

    /// Converts a connection error to a failure.
    func failure(_ error: any Error) async -> CommandFailure {
        let option = server.source
        if error is NIOTooManyBytesError {
            return CommandFailure(
                "The server \(server.shown) answered with more than \(Self.maximumMegabytes) MB: check "
                    + "\(option).", code: Exit.unavailable)
        }
        if let error = error as? HTTPClientError, error == .invalidURL {
            return CommandFailure(
                "\"\(server.shown)\" is not a URL: check \(option).", code: Exit.failure)
        }
        if error is NIOSSLError || error is NIOSSLExtraError,
            let certificate = await ServerCertificate(of: server.url),
            let reason = certificate.reason(error, server: server.url)
        {
            return CommandFailure(
                "The server \(server.shown) cannot be reached: \(reason).", code: Exit.unavailable)
        }
        return CommandFailure(
            "The server \(server.shown) cannot be reached (\(Self.reason(error))): start it with "
                + "\"sample-backend serve\", or check \(option).", code: Exit.unavailable)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "its name cannot be resolved"
        case is NIOSSLError, is NIOSSLExtraError: "the TLS handshake failed"
        case let error as IOError where error.errnoCode == ECONNREFUSED: "connection refused"
        default: String("\(error)".prefix(200))
        }
    }

    func close() async {
        // Fails only if the client was shut down already.
        try? await client.shutdown()
    }
}

/// Sends a body in pieces, with a pause after the first.
///
/// A server rejects an oversized body as soon as it has the request head, and closes the
/// connection. `HTTPClient` loses that response if it has written the whole body before it reads.
/// The pause gives the response time to arrive; over a slower connection the command reports a lost
/// connection instead.
private struct BodyPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private static let pieceSize = 64 << 10
    private static let pause: Duration = .milliseconds(300)

    private var rest: ByteBuffer
    private var count = 0

    init(_ body: ByteBuffer) {
        rest = body
    }

    func makeAsyncIterator() -> BodyPieces { self }

    mutating func next() async throws -> ByteBuffer? {
        guard rest.readableBytes > 0 else { return nil }
        if count == 1 { try await Task.sleep(for: Self.pause) }
        count += 1
        return rest.readSlice(length: Swift.min(rest.readableBytes, Self.pieceSize))
    }
}
