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
