import Foundation
import NIOSSL
import TemplateStore

extension EtcdLocation {
    /// The first line of the password file; nil without a user.
    func readPassword() throws(TemplateStoreError) -> String? {
        guard let passwordFile else { return nil }
        let text: String
        do {
            text = try String(contentsOfFile: passwordFile, encoding: .utf8)
        } catch {
            throw TemplateStoreError(
                .unavailable,
                "The file '\(passwordFile)' with etcd's password cannot be read: check "
                    + "password-file in --store.", underlyingError: error)
        }
        guard let line = text.split(whereSeparator: \.isNewline).first,
            !line.allSatisfy(\.isWhitespace)
        else {
            throw TemplateStoreError(
                .unavailable,
                "The file '\(passwordFile)' of password-file in --store is empty: write etcd's "
                    + "password to its first line.")
        }
        return String(line)
    }

    /// The TLS settings, with the given files.
    func tlsConfiguration() throws(TemplateStoreError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        do {
            if let authorityFile {
                configuration.trustRoots = .certificates(
                    try NIOSSLCertificate.fromPEMFile(authorityFile))
            }
            if let certificateFile, let keyFile {
                configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificateFile)
                    .map { .certificate($0) }
                configuration.privateKey = .privateKey(
                    try NIOSSLPrivateKey(file: keyFile, format: .pem))
            }
        } catch {
            throw TemplateStoreError(
                .unavailable,
                "The TLS files for etcd cannot be used: check ca, cert and key in "
                    + "--store.", underlyingError: error)
        }
        return configuration
    }
}
