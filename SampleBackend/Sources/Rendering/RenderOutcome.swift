/// A document, and how it came about.
public struct RenderOutcome: Sendable, Hashable {
    /// The document as it is sent.
    public let configuration: RenderedConfiguration

    /// Whether it was rendered for an earlier request, of whatever user.
    public let wasCached: Bool
}
