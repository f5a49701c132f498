import HTTPTypes

/// Which names of the server a request may be sent to.
///
/// A page can point its own name at this machine (DNS rebinding), and then read what the server
/// answers as its own. Where no key stops it, and in the console, only names that are known to be the
/// server's are answered.
struct HostAccess: Sendable {
    private let names: Set<String>

    /// Whether anybody on this machine may read, and nobody else reaches the server.
    private let isOpenToThisMachine: Bool

    /// Takes what a server is told.
    init(_ configuration: ConfigServerConfiguration) {
        names = Set(
            (configuration.allowedHosts + [configuration.hostname]).map { HostName($0).text })
        isOpenToThisMachine = configuration.isLoopback && configuration.clientAccess.isOpen
    }

    /// Checks that a request is meant for this server.
    ///
    /// - Parameters:
    ///   - hosts: The value of `Host`, and the authority of a target in absolute form; none of a
    ///     request of HTTP/1.0, which no browser sends.
    ///   - isForConsole: Whether the path belongs to the console.
    /// - Throws: A ``RequestError`` with status 421 when it was meant for another one.
    func check(_ hosts: [String], isForConsole: Bool) throws(RequestError) {
        guard isOpenToThisMachine || isForConsole else { return }
        for field in hosts {
            guard let host = HostName(field: field), isAllowed(host) else { throw .wrongHost }
        }
    }

    private func isAllowed(_ host: HostName) -> Bool {
        host.isLoopback || names.contains(host.text) || (!isOpenToThisMachine && host.isAddress)
    }
}

extension RequestError {
    /// 421: the request names another server.
    fileprivate static let wrongHost = RequestError(
        httpStatus: .misdirectedRequest, statusName: "MISDIRECTED_REQUEST",
        message: "This server does not answer to the name in Host: use its address, or have it "
            + "started with --allowed-host and that name.")
}
