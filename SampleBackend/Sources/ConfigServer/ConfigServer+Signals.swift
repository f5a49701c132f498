import ClientAPI
import HTTPServing
import Logging

extension ConfigServer {
    /// Reads the certificate and the key set of user tokens again, for new connections and
    /// requests; open connections stay.
    ///
    /// What a file cannot replace stays in use; the log has the reason, and what was replaced.
    public func reloadFiles() async {
        if let certificate {
            let files = certificate.files
            await report("certificate", files: "\(files.certificate), \(files.privateKey)") {
                () throws(TLSFilesError) in try certificate.read()
            }
        }
        if let tokens = options.clientAccess.userTokens, let path = tokens.path {
            await report("key set of user tokens", files: path) {
                () async throws(UserTokenKeyError) in try await tokens.readKeys()
            }
        }
        if certificate == nil, options.clientAccess.userTokens?.path == nil {
            logger.notice("There is no file to reload")
        }
    }

    /// Makes the server unready, so that load balancers send their requests elsewhere before it
    /// shuts down; it still answers.
    public func drain() {
        health.drain()
        logger.notice("Draining: /health/ready is 503 until the shutdown")
    }

    private func report<Failure: Error>(
        _ name: String, files: String, _ reload: () async throws(Failure) -> Void
    ) async {
        do throws(Failure) {
            try await reload()
            logger.notice("Reloaded the \(name)", metadata: ["file": "\(files)"])
        } catch {
            logger.error(
                "The \(name) could not be reloaded: the loaded one stays in use",
                metadata: ["file": "\(files)", "error": "\(error)"])
        }
    }
}
