import ArgumentParser
import JSONTree

/// `sample-backend undo` takes back the changes of one version.
struct UndoCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take back the changes of one version; those of later versions stay.",
        discussion: """
            Publishes a new version: the current one without what the given version changed. It \
            fails if later versions changed the same, and names the places. To go back to the whole \
            content of an earlier version, use "rollback". To repeat what was undone, undo the undo.
            """)

    @Argument(help: "The version whose changes are taken back.")
    var version: Int

    @OptionGroup var options: AdministrationOptions

    @OptionGroup var replacement: ReplacementOptions

    func run(with transport: any AdministrationTransport) async throws {
        let current = try await PublishedTemplate(from: transport, options)
        let tag = try await replacement.tag(of: current, options) { tag in
            let preview = try await transport.json(request(tag: tag, isTrial: true))
            return current.flatMap { BreakingPublish(by: preview, from: $0.template) }
        }
        let answer = try await transport.perform(request(tag: tag))
        answer.printWarnings()
        replacement.report(try answer.json, tag: tag, over: current, options) { number in
            "Took back the changes of version \(version), as version \(number)"
        }
    }

    private func request(tag: String, isTrial: Bool = false) -> AdministrationRequest {
        var body: JSONNode = ["versionNumber": .string("\(version)")]
        body.setMember("description", replacement.description.map { .string($0) })
        let path = options.projectPath + "/remoteConfig:undo"
        return AdministrationRequest(
            method: "POST",
            path: path + (isTrial ? "?validateOnly=true" : replacement.bypass.query()),
            ifMatch: tag,
            body: body.jsonData(), isTrial: isTrial)
    }
}
