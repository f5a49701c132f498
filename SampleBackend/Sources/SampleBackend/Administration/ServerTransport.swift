import ArgumentParser
import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests to a server over HTTP: those of administrators, and those of `watch`.
///
/// Follows no redirect, since that could take a token to another server, and sends no request
/// twice.
struct ServerTransport: AdministrationTransport {
    /// Time limit for making a connection.
    private static let connectTimeout: TimeAmount = .seconds(10)

    /// Maximum size of a response that is read as a whole, in bytes.
    private static let maximumMegabytes = 64

    /// The URL without a slash at its end.
    private let base: String

    /// nil sends no token.
    private let token: Secret?

    private let client: HTTPClient

    /// Makes a transport, which has to be closed.
    ///
    /// - Parameters:
    ///   - server: The URL.
    ///   - token: The bearer token.
    ///   - timeout: The time without data after which a request fails.
    init(server: URL, token: Secret?, timeout: TimeAmount = .seconds(30)) {
        let text = server.absoluteString
        base = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.token = token
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: Self.connectTimeout, read: timeout, write: timeout))
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(
        _ request: AdministrationRequest
    ) async throws(CommandFailure) -> AdministrationAnswer {
        try await answer(try await response(to: request))
    }

    /// Returns the response, whatever its status, as soon as its head has come.
    func response(
        to request: AdministrationRequest, fields: HTTPHeaders = [:]
    ) async throws(CommandFailure) -> HTTPClientResponse {
        var clientRequest = HTTPClientRequest(url: base + request.path)
        clientRequest.method = HTTPMethod(rawValue: request.method)
        clientRequest.headers = fields
        if let token {
            clientRequest.headers.add(name: "Authorization", value: "Bearer \(token.text)")
        }
        if let ifMatch = request.ifMatch {
            clientRequest.headers.add(name: "If-Match", value: ifMatch)
        }
        if let body = request.body {
            clientRequest.headers.add(name: "Content-Type", value: "application/json")
            clientRequest.body = .stream(
                BodyPieces(ByteBuffer(data: body)), length: .known(Int64(body.count)))
        }
        do {
            return try await client.execute(clientRequest, deadline: .distantFuture)
        } catch {
            throw failure(error)
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
            throw failure(error)
        }
    }

    /// The failure that an error of a connection is.
    func failure(_ error: any Error) -> CommandFailure {
        let server = base.withoutUserInformation
        if error is NIOTooManyBytesError {
            return CommandFailure(
                "The server \(server) answered with more than \(Self.maximumMegabytes) MB: check "
                    + "--server.", code: Exit.unavailable)
        }
        if let error = error as? HTTPClientError, error == .invalidURL {
            return CommandFailure("\"\(server)\" is no URL: check --server.", code: Exit.failure)
        }
        return CommandFailure(
            "The server \(server) cannot be reached (\(Self.reason(error))): start it with "
                + "\"sample-backend serve\", or check --server.", code: Exit.unavailable)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "its name is not known"
        case is NIOSSLError, is NIOSSLExtraError: "TLS could not be agreed on"
        case let error as IOError where error.errnoCode == ECONNREFUSED: "connection refused"
        default: String("\(error)".prefix(200))
        }
    }

    func close() async {
        // The only error is that it was closed already.
        try? await client.shutdown()
    }
}

/// A body in pieces, with a pause after the first.
///
/// A server refuses a body that is too large at its head, and closes the connection. `HTTPClient`
/// loses that answer when it has written the whole body before it reads. The pause gives the answer
/// time to arrive; over a slower connection the command reports a lost connection instead.
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

extension URL {
    /// The value of `--server`, else of `ACTIVECONFIG_SERVER`, else the default; throws a
    /// `ValidationError` unless it is an HTTP URL with a host.
    init(server option: String?) throws {
        let environment = ProcessInfo.processInfo.environment["ACTIVECONFIG_SERVER"] ?? ""
        let text = option ?? (environment.isEmpty ? "http://127.0.0.1:8080" : environment)
        guard let url = URL(string: text), url.host != nil, url.scheme?.hasPrefix("http") == true
        else {
            throw ValidationError(
                "\"\(text.withoutUserInformation)\" is no URL of a server: give http://HOST:PORT.")
        }
        self = url
    }
}
