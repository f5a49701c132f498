/// The address on which a server accepts connections.
public struct ListeningAddress: Sendable, Hashable, CustomStringConvertible {
    /// The requested host name or address.
    public let hostname: String

    /// The port; when 0 was requested, the port that the system chose.
    public let port: Int

    /// A Boolean value that indicates whether connections use TLS.
    public let usesTLS: Bool

    /// The address with a host name for a browser on this machine: `localhost` when the server
    /// listens on all addresses.
    public var onThisMachine: ListeningAddress {
        let isAny = hostname == "0.0.0.0" || hostname == "::"
        return ListeningAddress(
            hostname: isAny ? "localhost" : hostname, port: port, usesTLS: usesTLS)
    }

    /// The base URL of the server, such as `http://127.0.0.1:8080`; an IPv6 address is in brackets.
    public var description: String {
        let scheme = usesTLS ? "https" : "http"
        return hostname.utf8.contains(UInt8(ascii: ":"))
            ? "\(scheme)://[\(hostname)]:\(port)" : "\(scheme)://\(hostname):\(port)"
    }
}

/// A failure to listen on an address.
public struct ListeningError: Error, Sendable, CustomStringConvertible {
    /// The requested host name or address.
    public let hostname: String

    /// The requested port.
    public let port: Int

    /// The operating system's error.
    public let underlyingError: any Error

    /// A Boolean value that indicates whether another socket uses the port.
    public let isAddressInUse: Bool

    /// One sentence with the failure and the remedy.
    public var description: String {
        isAddressInUse
            ? "Port \(port) of \(hostname) is in use: stop the process that uses it, or choose "
                + "another port with --port."
            : "Listening on port \(port) of \(hostname) failed (\(underlyingError)): check "
                + "--hostname and --port."
    }
}
