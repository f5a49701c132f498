/// A type that names the address a server listens on, once it does.
public struct ListeningAddress: Sendable, Hashable, CustomStringConvertible {
    /// The name or address that the server was told to listen on.
    public let hostname: String

    /// The port, never 0.
    public let port: Int

    /// The base URL of the server, such as `http://127.0.0.1:8080`; an IPv6 address is in brackets.
    public var description: String {
        hostname.utf8.contains(UInt8(ascii: ":"))
            ? "http://[\(hostname)]:\(port)" : "http://\(hostname):\(port)"
    }
}
