/// The address on which a server accepts connections.
public struct ListeningAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host name or address on which the server was told to listen.
    public let hostname: String

    /// The port, never 0: when 0 was requested, the one that the system chose.
    public let port: Int

    /// A Boolean value that indicates whether connections use TLS.
    public let usesTLS: Bool

    /// The base URL of the server, such as `http://127.0.0.1:8080`; an IPv6 address is in brackets.
    public var description: String {
        let scheme = usesTLS ? "https" : "http"
        return hostname.utf8.contains(UInt8(ascii: ":"))
            ? "\(scheme)://[\(hostname)]:\(port)" : "\(scheme)://\(hostname):\(port)"
    }
}

/// A failure to listen on an address.
public struct ListeningError: Error, Sendable, CustomStringConvertible {
    /// The host name or address on which the server was told to listen.
    public let hostname: String

    /// The port on which the server was told to listen.
    public let port: Int

    /// The operating system's error.
    public let underlyingError: any Error

    /// A Boolean value that indicates whether another socket uses the port.
    public let isAddressInUse: Bool

    /// One sentence with the failure and what to do.
    public var description: String {
        isAddressInUse
            ? "Port \(port) of \(hostname) is in use: stop what uses it, or choose another port "
                + "with --port."
            : "Listening on port \(port) of \(hostname) failed (\(underlyingError)): check "
                + "--hostname and --port."
    }
}
