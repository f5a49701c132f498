import HTTPTypes
import NIOCore

/// The host names to which the server responds, a defence against DNS rebinding.
///
/// A malicious page can point its own host name at this machine and then read the server's
/// responses from its own origin. Without a key, and in the console, only requests with known host
/// names are therefore answered.
package struct HostAccess: Sendable {
    private let names: Set<String>

    /// True when only this machine can reach the server and no key is required.
    private let isOpenToThisMachine: Bool

    /// Allows the given names in addition to those of this machine.
    package init(names: [String], isOpenToThisMachine: Bool) {
        self.names = Set(names.map { HostName($0).text })
        self.isOpenToThisMachine = isOpenToThisMachine
    }

    /// Checks that a request is addressed to this server.
    ///
    /// - Parameters:
    ///   - host: The value of `Host`; nil for an HTTP/1.0 request without it, which browsers do not
    ///     send.
    ///   - authority: The authority of a target in absolute form; nil in origin form.
    ///   - isRequired: True to check even on a server that needs a key or that other machines can
    ///     reach.
    ///   - peer: The client; its connection caches the last accepted host.
    /// - Throws: A ``RequestError`` with status 421 when it is addressed to another host.
    func check(
        _ host: String?, authority: String?, isRequired: Bool, peer: inout Peer
    ) throws(RequestError) {
        guard isOpenToThisMachine || isRequired else { return }
        if let host, peer.acceptedHost != host {
            try check(host)
            // An idle connection must not keep a long value, which no limit counts.
            peer.acceptedHost = host.utf8.count <= 256 ? host : nil
        }
        if let authority { try check(authority) }
    }

    private func check(_ field: String) throws(RequestError) {
        guard let host = HostName(field: field), isAllowed(host) else { throw .wrongHost }
    }

    private func isAllowed(_ host: HostName) -> Bool {
        host.isLoopback || names.contains(host.text) || (!isOpenToThisMachine && host.isAddress)
    }
}

extension RequestError {
    /// 421: the request is addressed to another host.
    fileprivate static let wrongHost = RequestError(
        httpStatus: .misdirectedRequest, statusName: "MISDIRECTED_REQUEST",
        message: "The server does not accept the name in Host: use its address, or start the "
            + "server with --allowed-host and that name.")
}

/// The host of a `Host` field or a URL, normalized for comparison.
package struct HostName: Sendable, Hashable {
    /// The name in lower case without a trailing dot; an address without brackets.
    package let text: String

    /// The address; nil for a name.
    private let address: SocketAddress?

    /// Creates a host from a name or an address without a port or brackets.
    package init(_ text: String) {
        let lowercased = text.lowercased()
        self.text = lowercased.hasSuffix(".") ? String(lowercased.dropLast()) : lowercased
        address = try? SocketAddress(ipAddress: self.text, port: 0)
    }

    /// Parses a `Host` field, such as `name`, `1.2.3.4:80` or `[::1]:80`; nil when it is malformed.
    ///
    /// Other forms are rejected because clients disagree about where the host is, for example
    /// before or after an `@`.
    package init?(field: String) {
        var host = field.utf8[...]
        let end: Substring.UTF8View.Index?
        if host.first == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = host.index(after: bracket)
        } else {
            end = host.firstIndex(of: UInt8(ascii: ":"))
        }
        if let end {
            guard Self.isPort(host[end...]) else { return nil }
            host = host[..<end]
        }
        if host.first == UInt8(ascii: "[") {
            self.init(String(Substring(host.dropFirst().dropLast())))
            guard case .v6? = address else { return nil }
        } else {
            guard !host.isEmpty, host.allSatisfy(Self.isOfName) else { return nil }
            self.init(String(Substring(host)))
        }
    }

    /// True for a valid rest of the field after the host: nothing, or a colon with an optional
    /// port.
    private static func isPort(_ rest: Substring.UTF8View) -> Bool {
        guard let colon = rest.first else { return true }
        let digits = rest.dropFirst()
        return colon == UInt8(ascii: ":")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && (digits.isEmpty || UInt16(Substring(digits)) != nil)
    }

    /// True for a character of names and IPv4 addresses.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// True when a `Host` field can contain it; false for a text with a port, for example.
    package var isNameOrAddress: Bool {
        isAddress || (!text.isEmpty && text.utf8.allSatisfy(Self.isOfName))
    }

    /// True for a literal address, which DNS cannot redirect.
    var isAddress: Bool { address != nil }

    private var isLoopbackAddress: Bool {
        switch address {
        case .v4: text.hasPrefix("127.")
        case .v6: address?.ipAddress == "::1"
        default: false
        }
    }

    /// True when a server that listens on this host is reachable only from this machine.
    package var isLocal: Bool { isLoopbackAddress || text == "localhost" }

    /// True when browsers resolve the host to this machine, regardless of DNS.
    package var isLoopback: Bool { isLocal || text.hasSuffix(".localhost") }
}
