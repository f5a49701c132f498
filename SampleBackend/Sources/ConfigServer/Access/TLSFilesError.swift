/// A type that says that TLS cannot be served.
public struct TLSFilesError: Error, Sendable, CustomStringConvertible {
    /// The files.
    public let files: TLSFiles

    /// The reason.
    public let underlyingError: any Error

    /// One sentence that says what to do.
    public var description: String {
        "The certificate \(files.certificate) and the key \(files.privateKey) cannot be used "
            + "(\(underlyingError)): check that both are PEM, belong together and can be read."
    }
}
