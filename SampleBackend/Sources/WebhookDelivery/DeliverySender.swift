import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore
import NIOHTTP1
import NIOSSL
import TemplateStore

/// Sends a delivery, only to an address that it has checked.
struct DeliverySender: Sendable {
    /// True when addresses of private networks and of this machine are allowed.
    let allowsPrivateAddresses: Bool

    /// Time limit for the whole attempt, including name resolution.
    let timeout: Duration

    let resolve: @Sendable (_ host: String) async throws -> [NetworkAddress]

    init(_ options: WebhookOptions) {
        allowsPrivateAddresses = options.allowsPrivateAddresses
        timeout = options.timeout
        resolve = options.resolve
    }

    /// Maximum number of bytes that are read of the body of an answer.
    private static let maximumBody = 4_096

    /// Resolves and checks the webhook's host, then posts the message; errors are part of the
    /// result.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - webhook: The receiver.
    ///   - attempt: The number of the attempt, from 1.
    ///   - readsBody: True to keep the start of the answer's body.
    ///   - now: The current time.
    /// - Returns: The answer.
    func send(
        _ message: DeliveryMessage, to webhook: StoredWebhook, attempt: Int,
        readsBody: Bool = false, now: @Sendable () -> Date
    ) async -> DeliveryAnswer {
        let deadline = NIODeadline.now() + TimeAmount(timeout)
        do {
            let address = try WebhookAddress(webhook.url)
            let addresses = try await self.addresses(of: address.host)
            if let error = Self.error(
                of: addresses, host: address.host, allowsPrivateAddresses: allowsPrivateAddresses)
            {
                return DeliveryAnswer(error: error)
            }
            // Each attempt uses the next address, since some may be unreachable from this machine.
            let target = addresses[(attempt - 1) % addresses.count]
            return try await post(
                message, to: address, at: target, deadline: deadline, readsBody: readsBody, now: now
            )
        } catch let error as RequestError {
            return DeliveryAnswer(error: error.message)
        } catch let error as ResolutionError {
            return DeliveryAnswer(error: error.message)
        } catch let error as HTTPClientError where Self.timeouts.contains(error) {
            return DeliveryAnswer(error: "The receiver did not answer within \(timeout).")
        } catch let error where error is NIOSSLError || error is NIOSSLExtraError {
            return DeliveryAnswer(
                error: "The TLS handshake failed: check that the receiver's certificate is valid "
                    + "for its host and issued by an authority that this machine trusts.")
        } catch {
            return DeliveryAnswer(error: "The connection failed: \("\(error)".prefix(200))")
        }
    }

    /// Resolves a host within the timeout.
    ///
    /// A lookup cannot be interrupted; one that takes longer continues and its result is dropped.
    private func addresses(of host: String) async throws -> [NetworkAddress] {
        let (results, continuation) = AsyncStream.makeStream(
            of: Result<[NetworkAddress], any Error>.self)
        Task {
            do {
                continuation.yield(.success(try await resolve(host)))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let timer = Task {
            try await Task.sleep(for: timeout)
            continuation.yield(
                .failure(
                    ResolutionError(
                        message: "The name \(host) was not resolved within \(timeout).")))
        }
        defer { timer.cancel() }
        for await result in results { return try result.get() }
        throw CancellationError()
    }

    /// The reason why a host is refused, as a sentence; nil when all its addresses are allowed.
    static func error(
        of addresses: [NetworkAddress], host: String, allowsPrivateAddresses: Bool
    ) -> String? {
        if addresses.isEmpty { return "The host \(host) has no address." }
        // One private address is enough to refuse the host: the next lookup may return only that
        // one.
        guard !allowsPrivateAddresses, !addresses.allSatisfy(\.isPublic) else { return nil }
        // Omits the address, since readers of this error may not be allowed to see internal
        // addresses.
        return "The host \(host) has an address of a private network or of the server itself. "
            + "Nothing was sent."
    }

    /// The errors that stand for a timeout.
    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout,
        .getConnectionFromPoolTimeout,
    ]

    /// Posts a message to one address of the host.
    private func post(
        _ message: DeliveryMessage, to address: WebhookAddress, at target: NetworkAddress,
        deadline: NIODeadline, readsBody: Bool, now: @Sendable () -> Date
    ) async throws -> DeliveryAnswer {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(timeout), read: TimeAmount(timeout)))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        // Pins the checked address, so a second lookup cannot return another one (DNS rebinding).
        configuration.dnsOverride = [address.host: target.description]
        var request = HTTPClientRequest(url: address.text)
        request.method = .POST
        for (name, value) in message.fields { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: message.body))
        // One client per delivery: its DNS override must not apply to other deliveries.
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<DeliveryAnswer, any Error>
        do {
            let response = try await client.execute(request, deadline: deadline)
            var answer = DeliveryAnswer(
                statusCode: Int(response.status.code),
                retryAfter: response.headers.first(name: "Retry-After"), date: now())
            if readsBody {
                answer.body = try await Self.start(of: response.body, until: deadline)
            }
            result = .success(answer)
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    /// The start of a body; empty when it does not arrive in time, since a receiver could send it byte
    /// by byte.
    private static func start(
        of body: HTTPClientResponse.Body, until deadline: NIODeadline
    ) async throws -> Data {
        try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask {
                var start = Data()
                for try await part in body {
                    start += Data(part.readableBytesView)
                    if start.count >= maximumBody { return start.prefix(maximumBody) }
                }
                return start
            }
            group.addTask {
                let rest = (deadline - NIODeadline.now()).nanoseconds
                try await Task.sleep(for: .nanoseconds(max(rest, 0)))
                return Data()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Data()
        }
    }
}
