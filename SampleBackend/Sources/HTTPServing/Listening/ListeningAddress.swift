/// The address that a server accepts connections on.
public struct ListeningAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host name or address that the server was told to listen on.
    public let hostname: String

    /// The port, never 0: for port 0, the one that the system chose.
    public let port: Int

    /// Whether connections use TLS.
    public let usesTLS: Bool

    /// The base URL of the server, such as `http://127.0.0.1:8080`; an IPv6 address is in brackets.
    public var description: String {
        let scheme = usesTLS ? "https" : "http"
        return hostname.utf8.contains(UInt8(ascii: ":"))
            ? "\(scheme)://[\(hostname)]:\(port)" : "\(scheme)://\(hostname):\(port)"
    }
}

/// Why a server cannot listen on an address.
public struct ListeningError: Error, Sendable, CustomStringConvertible {
    /// The host name or address that the server was told to listen on.
    public let hostname: String

    /// The port that the server was told to listen on.
    public let port: Int

    /// The operating system's error.
    public let underlyingError: any Error

    /// Whether another socket uses the port.
    public let isAddressInUse: Bool

    /// One sentence that says what failed and what to do.
    public var description: String {
        isAddressInUse
            ? "Port \(port) of \(hostname) is in use: stop what uses it, or choose another port "
                + "with --port."
            : "Listening on port \(port) of \(hostname) failed (\(underlyingError)): check "
                + "--hostname and --port."
    }
}
