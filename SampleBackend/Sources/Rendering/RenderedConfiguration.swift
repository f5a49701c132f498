public import ActiveConfig
public import NIOCore

/// A type that holds a configuration in the form in which it is sent: bytes and entity tag.
///
/// Copies share the bytes, so one value can answer any number of users.
public struct RenderedConfiguration: Sendable, Hashable {
    /// The document in the exchange format (FORMAT), UTF-8.
    public let jsonBytes: ByteBuffer

    /// The strong tag of exactly these bytes.
    public let entityTag: EntityTag

    /// Renders a configuration.
    ///
    /// - Parameter state: The configuration; its `entityTag` is no part of the document.
    public init(_ state: ConfigurationState) {
        self.init(jsonBytes: ByteBuffer(bytes: state.jsonData()))
    }

    /// Takes bytes that are rendered already, and computes their tag.
    ///
    /// - Parameter jsonBytes: A document in the exchange format; it is not parsed.
    public init(jsonBytes: ByteBuffer) {
        self.jsonBytes = jsonBytes
        self.entityTag = EntityTag(ofContent: jsonBytes)
    }
}
