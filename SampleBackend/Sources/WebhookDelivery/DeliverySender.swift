import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore
import NIOHTTP1
import NIOSSL
import TemplateStore

/// A type that sends one delivery to the address that was checked, and to no other.
struct DeliverySender: Sendable {
    /// Whether it may send to private networks and to this machine.
    let allowsPrivateAddresses: Bool

    /// How long it waits for the answer, the look for the address included.
    let timeout: Duration

    /// Finds the addresses of a host.
    let resolve: @Sendable (_ host: String) async throws -> [NetworkAddress]

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - claimed: The delivery and its webhook.
    ///   - now: The clock.
    /// - Returns: What came of it.
    func send(
        _ message: DeliveryMessage, of claimed: ClaimedDelivery, now: @Sendable () -> Date
    ) async -> DeliveryAnswer {
        let deadline = NIODeadline.now() + TimeAmount(timeout)
        do {
            let address = try WebhookAddress(claimed.webhook.url)
            let addresses = try await resolve(address.host)
            if let error = Self.error(
                of: addresses, host: address.host, allowsPrivateAddresses: allowsPrivateAddresses)
            {
                return DeliveryAnswer(error: error)
            }
            // Another one at each attempt: this machine may not reach all of them.
            let target = addresses[(claimed.delivery.attempts - 1) % addresses.count]
            return try await post(
                message, to: address, at: target, deadline: deadline, now: now)
        } catch let error as RequestError {
            return DeliveryAnswer(error: error.message)
        } catch let error as HTTPClientError where Self.timeouts.contains(error) {
            return DeliveryAnswer(error: "The receiver did not answer within \(timeout).")
        } catch is NIOSSLError {
            return DeliveryAnswer(
                error: "TLS could not be agreed on: check that the receiver has a certificate for "
                    + "its host, of an authority that this machine trusts.")
        } catch {
            return DeliveryAnswer(error: "The connection failed: \("\(error)".prefix(200))")
        }
    }

    /// Why nothing may be sent to a host, a sentence; nil when all of its addresses may be used.
    ///
    /// - Parameters:
    ///   - addresses: The host's addresses.
    ///   - host: Its name.
    ///   - allowsPrivateAddresses: Whether private networks are allowed.
    /// - Returns: The reason.
    static func error(
        of addresses: [NetworkAddress], host: String, allowsPrivateAddresses: Bool
    ) -> String? {
        if addresses.isEmpty { return "The host \(host) has no address." }
        // One private address among many is enough: the next look might give that one alone.
        guard !allowsPrivateAddresses, !addresses.allSatisfy(\.isPublic) else { return nil }
        // Without the address: who reads it may not be meant to know the names of the network.
        return "The host \(host) has an address of a private network or of the server itself: "
            + "nothing was sent."
    }

    /// The errors that mean that time is up.
    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout,
        .getConnectionFromPoolTimeout,
    ]

    /// Posts a message to an address of its host.
    private func post(
        _ message: DeliveryMessage, to address: WebhookAddress, at target: NetworkAddress,
        deadline: NIODeadline, now: @Sendable () -> Date
    ) async throws -> DeliveryAnswer {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(timeout), read: TimeAmount(timeout)))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        // The client looks for no address of its own, so that nobody can give it another one.
        configuration.dnsOverride = [address.host: target.description]
        var request = HTTPClientRequest(url: address.text)
        request.method = .POST
        for (name, value) in message.fields { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: message.body))
        // A connection belongs to one delivery, and so does the client with its one address.
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<DeliveryAnswer, any Error>
        do {
            // The body of the answer is not read: nothing depends on it.
            let response = try await client.execute(request, deadline: deadline)
            result = .success(
                DeliveryAnswer(
                    statusCode: Int(response.status.code),
                    retryAfter: response.headers.first(name: "Retry-After"), date: now()))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }
}
