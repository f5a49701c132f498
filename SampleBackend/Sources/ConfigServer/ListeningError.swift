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
