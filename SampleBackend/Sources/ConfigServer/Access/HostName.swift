import NIOCore

/// The name or address of a machine, as `Host` or a URL has it.
struct HostName: Sendable, Hashable {
    /// The name in lower case, without the dot at its end; an address without brackets.
    let text: String

    /// The address, when it is written as one.
    private let address: SocketAddress?

    /// Takes a name or an address, without a port and brackets.
    init(_ text: String) {
        let lowercased = text.lowercased()
        self.text = lowercased.hasSuffix(".") ? String(lowercased.dropLast()) : lowercased
        address = try? SocketAddress(ipAddress: self.text, port: 0)
    }

    /// Reads a value of `Host`, or gives nil when it is none: `name`, `1.2.3.4:80`, `[::1]:80`.
    init?(field: String) {
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
    var isLocal: Bool { isLoopbackAddress || text == "localhost" }

    /// Whether it is this machine to every browser, whatever a name server says.
    var isLoopback: Bool { isLocal || text.hasSuffix(".localhost") }
}
