import HTTPTypes
import NIOCore

/// Which names of the server a request may be sent to.
///
/// A page can point its own name at this machine (DNS rebinding), and then read what the server
/// answers as its own. Where no key stops it, and in the console, only names that are known to be the
/// server's are answered.
package struct HostAccess: Sendable {
    private let names: Set<String>

    /// Whether anybody on this machine may read, and nobody else reaches the server.
    private let isOpenToThisMachine: Bool

    /// Allows the names besides those of this machine.
    package init(names: [String], isOpenToThisMachine: Bool) {
        self.names = Set(names.map { HostName($0).text })
        self.isOpenToThisMachine = isOpenToThisMachine
    }

    /// Checks that a request is meant for this server.
    ///
    /// - Parameters:
    ///   - hosts: The value of `Host`, and the authority of a target in absolute form; none of a
    ///     request of HTTP/1.0, which no browser sends.
    ///   - isRequired: Whether it is checked though a key stops others.
    /// - Throws: A ``RequestError`` with status 421 when it was meant for another one.
    package func check(_ hosts: [String], isRequired: Bool) throws(RequestError) {
        guard isOpenToThisMachine || isRequired else { return }
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

/// The name or address of a machine, as `Host` or a URL has it.
package struct HostName: Sendable, Hashable {
    /// The name in lower case, without the dot at its end; an address without brackets.
    package let text: String

    /// The address, when it is written as one.
    private let address: SocketAddress?

    /// Takes a name or an address, without a port and brackets.
    package init(_ text: String) {
        let lowercased = text.lowercased()
        self.text = lowercased.hasSuffix(".") ? String(lowercased.dropLast()) : lowercased
        address = try? SocketAddress(ipAddress: self.text, port: 0)
    }

    /// Reads a value of `Host`, or gives nil when it is none: `name`, `1.2.3.4:80`, `[::1]:80`.
    package init?(field: String) {
        var host = field[...]
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { return nil }
            let rest = host[host.index(after: end)...]
            host = host[host.index(after: host.startIndex)..<end]
            guard rest.isEmpty || rest.first == ":", host.contains(":") else { return nil }
        } else {
            let parts = host.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { return nil }
            host = parts[0]
        }
        guard !host.isEmpty else { return nil }
        self.init(String(host))
    }

    /// Whether it is written as an address: then no name server can point it elsewhere.
    var isAddress: Bool { address != nil }

    /// Whether it is an address of this machine for itself.
    private var isLoopbackAddress: Bool {
        switch address {
        case .v4: text.hasPrefix("127.")
        case .v6: address?.ipAddress == "::1"
        default: false
        }
    }

    /// Whether a server that listens on it is reached from this machine alone.
    package var isLocal: Bool { isLoopbackAddress || text == "localhost" }

    /// Whether it is this machine to every browser, whatever a name server says.
    package var isLoopback: Bool { isLocal || text.hasSuffix(".localhost") }
}
