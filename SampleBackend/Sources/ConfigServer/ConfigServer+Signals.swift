import AdminAPI
import ClientAPI
import HTTPServing
import Logging
import OpenIDConnect

extension ConfigServer {
    /// Starts to read the certificate, the key set of user tokens and the rules for sign-ins again,
    /// for new connections and requests; open connections stay.
    ///
    /// What a file cannot replace stays in use; the log has the reason, and what was replaced. Calls
    /// during a reload cause one more after it.
    public func reloadFiles() {
        if reloads.isEmpty { logger.notice("There is no file to reload") }
        for reload in reloads { reload.start() }
    }

    /// A reload for each kind of file, so that one that cannot be read does not delay the other.
    static func reloads(
        certificate: TLSCertificate?, userTokens: UserTokenVerifier?, rules: OpenIDRulesFile?,
        access: AdministratorAccess, logger: Logger
    ) -> [FileReload] {
        var reloads: [FileReload] = []
        if let certificate {
            let files = certificate.files
            reloads.append(
                FileReload(
                    "certificate", files: "\(files.certificate), \(files.privateKey)",
                    logger: logger
                ) { try await certificate.read() })
        }
        if let userTokens, let path = userTokens.path {
            reloads.append(
                FileReload("key set of user tokens", files: path, logger: logger) {
                    try await userTokens.readKeys()
                })
        }
        if let rules {
            reloads.append(
                FileReload("rules for sign-ins", files: rules.path, logger: logger) {
                    try await rules.read()
                    // Polls of people whom the new rules refuse end.
                    access.notifyOfRevocation()
                })
        }
        return reloads
    }

    /// Makes the server unready, so that load balancers send their requests elsewhere before it
    /// shuts down; it still answers.
    public func drain() {
        health.drain()
        logger.notice("Draining: /health/ready is 503 until the shutdown")
    }
}
