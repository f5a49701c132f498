/// A type that names the address a server listens on, once it does.
public struct ListeningAddress: Sendable, Hashable, CustomStringConvertible {
    /// The name or address that the server was told to listen on.
    public let hostname: String

    /// The port, never 0.
    public let port: Int

    /// Whether connections are encrypted.
    public let usesTLS: Bool

    /// The base URL of the server, such as `http://127.0.0.1:8080`; an IPv6 address is in brackets.
    public var description: String {
        let scheme = usesTLS ? "https" : "http"
        return hostname.utf8.contains(UInt8(ascii: ":"))
            ? "\(scheme)://[\(hostname)]:\(port)" : "\(scheme)://\(hostname):\(port)"
    }
}

/// A type that says why a server does not listen.
public struct ListeningError: Error, Sendable, CustomStringConvertible {
    /// The name or address it was told to listen on.
    public let hostname: String

    /// The port it was told to listen on.
    public let port: Int

    /// The reason, as the operating system gave it.
    public let underlyingError: any Error

    /// Whether another socket has the port.
    public let isAddressInUse: Bool

    /// One sentence that says what to do.
    public var description: String {
        isAddressInUse
            ? "Port \(port) of \(hostname) is in use: stop what uses it, or choose another port "
                + "with --port."
            : "Listening on port \(port) of \(hostname) failed (\(underlyingError)): check "
                + "--hostname and --port."
    }
}
