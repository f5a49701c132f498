package import NIOSSL

/// A type that names the files to serve TLS with.
public struct TLSFiles: Sendable, Hashable {
    /// The certificate and those it was signed by, PEM.
    public let certificate: String

    /// The private key, PEM.
    public let privateKey: String

    /// Names the files.
    public init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// Reads the files.
    ///
    /// - Throws: A ``TLSFilesError`` when one of them cannot be read.
    package func makeContext() throws(TLSFilesError) -> NIOSSLContext {
        do {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate)
                    .map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKey, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSFilesError(files: self, underlyingError: error)
        }
    }
}

/// TLS cannot be served with the files.
public struct TLSFilesError: Error, Sendable, CustomStringConvertible {
    /// The files.
    public let files: TLSFiles

    /// The reason.
    public let underlyingError: any Error

    /// One sentence that says what to do.
    public var description: String {
        "The certificate \(files.certificate) and the key \(files.privateKey) cannot be used "
            + "(\(underlyingError)): check that both are PEM, belong together and can be read."
    }
}
