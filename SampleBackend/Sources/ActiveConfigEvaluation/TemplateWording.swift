import ActiveConfig

/// The words for a template in what the framework says of it: it follows the template as the
/// configuration of the generic user.
struct TemplateWording: Sendable {
    private let name: String

    init(project: String) { name = "template of the project \"\(project)\"" }

    /// A log that writes the framework's messages in these words.
    func log(_ log: ActiveConfigLog) -> ActiveConfigLog { log.rewritten { text(of: $0) } }

    /// A message of the framework in these words.
    func text(of message: String) -> String {
        message.replacing("The configuration of the generic user", with: "The \(name)")
            .replacing("the configuration of the generic user", with: "the \(name)")
            .replacing("the generic user", with: "the \(name)")
            .replacing("The generic user", with: "The \(name)")
    }
}
