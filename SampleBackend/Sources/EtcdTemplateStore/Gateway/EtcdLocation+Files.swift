import Foundation
import NIOSSL
import TemplateStore

extension EtcdLocation {
    /// The first line of the password file; nil without a user.
    func readPassword() throws(TemplateStoreError) -> String? {
        guard let passwordFile else { return nil }
        do {
            let text = try String(contentsOfFile: passwordFile, encoding: .utf8)
            return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        } catch {
            throw TemplateStoreError(
                .unavailable,
                "The file '\(passwordFile)' with etcd's password cannot be read: check "
                    + "password-file in --store.", underlyingError: error)
        }
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
