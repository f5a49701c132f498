import ArgumentParser
import JSONTree

/// The options of commands that replace the current version by something that is made of earlier
/// ones.
struct ReplacementOptions: ParsableArguments {
    @Option(help: "The reason, as the description of the new version; at most 1,024 characters.")
    var description: String?

    @Option(
        help: ArgumentHelp(
            "The ETag of the version to replace, or * for any.", valueName: "etag"))
    var ifMatch: String?

    @Flag(help: "Replace any version: the same as --if-match '*'.")
    var force = false

    @Flag(
        name: .shortAndLong,
        help: """
            Do not ask, even if more than half of the settings are removed, or one changes its type.
            """)
    var yes = false

    @OptionGroup var bypass: BypassOptions

    /// Rejects contradictory options.
    func validate() throws {
        if force, ifMatch != nil {
            throw ValidationError("Give either --force or --if-match, not both.")
        }
    }

    /// The tag of the version to replace, after a confirmation where `breaking` requires one.
    ///
    /// The question is about the current version, so only that one is replaced then, even with
    /// `--force`.
    func tag(
        of current: PublishedTemplate?, _ options: AdministrationOptions,
        breaking: (String) async throws -> BreakingPublish?
    ) async throws -> String {
        let tag = try givenTag(of: current, options)
        // The server rejects a stale version.
        let currentTag = current?.answer.entityTag
        guard !yes, tag == "*" || tag.unquotedTag == currentTag?.unquotedTag,
            let breaking = try await breaking(tag)
        else { return tag }
        switch Terminal.confirm("\(breaking). Publish?") {
        case true?: return currentTag ?? tag
        case false?: throw CommandFailure("Nothing was published.", code: Exit.failure)
        case nil: throw breaking.needsYes
        }
    }

    private func givenTag(
        of current: PublishedTemplate?, _ options: AdministrationOptions
    ) throws -> String {
        if let ifMatch { return ifMatch.trimmedTag }
        if force { return "*" }
        guard let current else { return options.entityTag(ofVersion: "0") }
        guard let tag = current.answer.entityTag else {
            throw CommandFailure(
                "The server does not say which version is current: check --server.",
                code: Exit.unavailable)
        }
        return tag
    }

    /// Prints the new version; `sentence` returns the text for its number, without a full stop.
    func report(
        _ template: JSONNode, tag: String, over current: PublishedTemplate?,
        _ options: AdministrationOptions, sentence: (String) -> String
    ) {
        let replaced = tag == "*" || ifMatch != nil ? nil : current?.versionNumber
        if options.json {
            var node: JSONNode = ["version": template["version"] ?? .null]
            node.setMember("replacedVersionNumber", replaced.map { .string($0) })
            Output.print(node)
        } else {
            let number = template["version"]?["versionNumber"]?.stringValue ?? "?"
            let place = replaced.map { ", in place of version \($0)" } ?? ""
            Terminal.print("\(sentence(number))\(place).")
        }
    }
}
