import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// The trusted certificates in a PEM file.
struct CertificateFile: Sendable {
    let certificates: [NIOSSLCertificate]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - source: The option or the variable that names the file.
    /// - Throws: A ``CommandFailure`` when the file cannot be read, or has no certificate.
    init(_ path: String, from source: String) throws(CommandFailure) {
        let certificates = try? NIOSSLCertificate.fromPEMFile(path)
        guard let certificates, !certificates.isEmpty else {
            throw .badInput(
                "The file \(path.escapedForTerminal) of \(source) cannot be read, or has no "
                    + "certificate in PEM.")
        }
        self.certificates = certificates
    }
}

/// The certificate that a server presents, trusted or not, for error messages.
struct ServerCertificate: Sendable {
    /// Maximum time to wait for the certificate.
    private static let timeout: TimeAmount = .seconds(5)

    private let certificate: Certificate

    /// Starts a TLS handshake to get the certificate; nil if the server presents none.
    init?(of server: URL) async {
        guard let host = server.host else { return nil }
        let found = Self.group.any().makePromise(of: NIOSSLCertificate?.self)
        do {
            let channel = try await Self.connect(to: host, port: server.port ?? 443, found)
            let limit = channel.eventLoop.scheduleTask(in: Self.timeout) {
                channel.close(promise: nil)
            }
            channel.closeFuture.whenComplete { _ in found.succeed(nil) }
            let bytes = try await found.futureResult.get()?.toDERBytes()
            limit.cancel()
            try? await channel.close()
            guard let bytes else { return nil }
            certificate = try Certificate(derEncoded: bytes)
        } catch {
            found.succeed(nil)
            return nil
        }
    }

    private static var group: MultiThreadedEventLoopGroup { .singleton }

    /// Connects and completes the promise with the certificate, then aborts the handshake.
    private static func connect(
        to host: String, port: Int, _ found: EventLoopPromise<NIOSSLCertificate?>
    ) async throws -> any Channel {
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        return try await ClientBootstrap(group: group).connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(
                            context: context, serverHostname: isAddress ? nil : host,
                            customVerificationCallback: { certificates, isTrusted in
                                found.succeed(certificates.first)
                                isTrusted.succeed(.failed)
                            }))
                }
            }
            .connect(host: host, port: port).get()
    }

    /// The reason why the client rejected the server's certificate.
    ///
    /// - Parameters:
    ///   - error: The error of the connection.
    ///   - server: The URL of the server.
    /// - Returns: Nil when the error has another cause.
    func reason(_ error: any Error, server: URL) -> String? {
        let subject = "\(certificate.subject)".escapedForTerminal
        let issuer = "\(certificate.issuer)".escapedForTerminal
        let name = "its certificate \"\(subject)\", issued by \"\(issuer)\","
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return "\(name) is not for \(server.host ?? "this host")"
        }
        guard "\(error)".contains("CERTIFICATE_VERIFY_FAILED") else { return nil }
        let now = Date()
        if certificate.notValidAfter < now {
            return "\(name) expired at \(certificate.notValidAfter.formatted(.iso8601))"
        }
        if certificate.notValidBefore > now {
            return "\(name) begins at \(certificate.notValidBefore.formatted(.iso8601))"
        }
        return "\(name) is not trusted: pass the issuer's with --ca-file or SSL_CERT_FILE"
    }
}
