import Metrics
import NIOConcurrencyHelpers
import NIOSSL

/// The files of a TLS server's certificate and key.
public struct TLSFiles: Sendable, Hashable {
    /// Path of a PEM file with the certificate chain, the server's certificate first.
    public let certificate: String

    /// Path of a PEM file with the private key.
    public let privateKey: String

    /// Creates a value with the paths; the files are read when the server starts.
    public init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// Reads the files, and records the expiry of the certificate as a metric.
    ///
    /// - Throws: A ``TLSFilesError`` when a file cannot be used.
    fileprivate func makeContext() throws(TLSFilesError) -> NIOSSLContext {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKey, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            let context = try NIOSSLContext(configuration: configuration)
            // A chain is valid until its first certificate expires.
            if let expiry = chain.map(\.notValidAfter).min() {
                Gauge(label: "activeconfig_certificate_expiry_timestamp_seconds").record(expiry)
            }
            return context
        } catch {
            throw TLSFilesError(files: self, underlyingError: error)
        }
    }
}

/// The certificate of a TLS server, which can be replaced while the server runs.
package final class TLSCertificate: Sendable {
    package let files: TLSFiles

    private struct State {
        /// Nil before the first successful ``TLSCertificate/read()``.
        var context: NIOSSLContext?
        /// Numbers of the reads that have begun, and of the one with the context.
        var (begun, shown) = (0, 0)
    }

    private let state = NIOLockedValueBox(State())

    package init(_ files: TLSFiles) {
        self.files = files
    }

    /// The context for new connections; nil before the first successful ``read()``.
    var context: NIOSSLContext? { state.withLockedValue { $0.context } }

    package var isRead: Bool { context != nil }

    /// Reads the files for new connections; open ones keep their certificate.
    ///
    /// - Throws: A ``TLSFilesError`` when a file cannot be used; the current certificate stays.
    package func read() async throws(TLSFilesError) {
        let number = state.withLockedValue { state in
            state.begun += 1
            return state.begun
        }
        let context = try await onBlockingThread { [files] () throws(TLSFilesError) in
            try files.makeContext()
        }
        state.withLockedValue { state in
            // A read that began earlier must not end last.
            if number > state.shown { (state.context, state.shown) = (context, number) }
        }
    }
}

/// A failure to load a certificate and its key.
public struct TLSFilesError: Error, Sendable, CustomStringConvertible {
    /// The files that could not be used.
    public let files: TLSFiles

    /// The TLS library's error.
    public let underlyingError: any Error

    /// One sentence with the failure and the remedy.
    public var description: String {
        "The certificate \(files.certificate) and the key \(files.privateKey) cannot be used "
            + "(\(underlyingError)): check that both are readable PEM files and belong together."
    }
}
