import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension EtcdGateway {
    /// Converts a connection error to a failure.
    func failure(_ error: any Error, at member: Int) -> EtcdFailure {
        let name = location.members[member]
        switch error as? HTTPClientError {
        case .connectTimeout?, .tlsHandshakeTimeout?, .getConnectionFromPoolTimeout?:
            return EtcdFailure(.notMade, "\(name) does not accept connections")
        case .alreadyShutdown?: return EtcdFailure(.refused, "the store is closed")
        case .deadlineExceeded?, .readTimeout?:
            return EtcdFailure(.unknown, "\(name) does not answer in time")
        default: break
        }
        switch error {
        case is NIOConnectionError: return EtcdFailure(.notMade, "\(name) refuses connections")
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            return EtcdFailure(.notMade, "\(name) refuses connections")
        case is NIOSSLError, is NIOSSLExtraError:
            return EtcdFailure(.notMade, "\(name): the TLS handshake failed (\(error))")
        case is BoringSSLError:
            // For example an alert because of the client's certificate, after the handshake.
            return EtcdFailure(.unknown, "\(name): the TLS connection failed (\(error))")
        default: return EtcdFailure(.unknown, "\(name) ends the connection (\(error))")
        }
    }

    /// The failure for a response with a status other than 200.
    func failure(
        _ status: HTTPResponseStatus, _ content: Data, at member: Int
    ) -> EtcdFailure {
        if let body = try? JSONDecoder().decode(EtcdErrorBody.self, from: content) {
            return EtcdFailure(body)
        }
        let text = String(decoding: content.prefix(200), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        if text.contains("CommonName of client") {
            return EtcdFailure(
                .refused,
                "with users, etcd's HTTP interface accepts no client certificate with a common "
                    + "name: create one without CN, such as /O=activeconfig")
        }
        return EtcdFailure(
            // A response without etcd's JSON comes from another program, which executed nothing.
            (500...599).contains(status.code) ? .unknown : .notMade,
            "\(location.members[member]) answers \(status.code): \(text)")
    }
}
