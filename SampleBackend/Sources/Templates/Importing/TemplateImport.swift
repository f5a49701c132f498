/// A type that makes a template of what another product has exported, and says what did not carry
/// over.
public protocol TemplateImport: Sendable {
    /// The template, which passes every check of ``ValidatedTemplate``.
    var template: RemoteConfigTemplate { get }

    /// What differs from the original, or will behave differently; empty when nothing does.
    var report: [ImportRemark] { get }
}
