/// Limits of a document, so that no input exhausts memory or the stack (FORMAT 1.4).
public struct ConfigurationLimits: Sendable, Hashable {
    /// 16 MiB of text, and a depth of 128 arrays and objects.
    public static let `default` = ConfigurationLimits()

    /// The greatest value of ``maximumDepth``, and the greatest depth that the stores keep.
    ///
    /// Swift releases values recursively, about 220 bytes a level, and a thread may have a stack of
    /// 512 KiB.
    public static let depthLimit = 512

    /// The longest text, in bytes.
    ///
    /// A longer one is ``ConfigurationFormatError/Code/tooLarge``.
    public let maximumSize: Int

    /// The maximum depth of nested arrays and objects; the document itself is the first.
    ///
    /// Deeper nesting is ``ConfigurationFormatError/Code/tooDeep``.
    public let maximumDepth: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - maximumSize: The longest text, in bytes; at least 0.
    ///   - maximumDepth: The greatest depth, clamped to 1 … ``depthLimit``.
    public init(maximumSize: Int = 16 * 1024 * 1024, maximumDepth: Int = 128) {
        self.maximumSize = max(0, maximumSize)
        self.maximumDepth = min(max(1, maximumDepth), Self.depthLimit)
    }
}
