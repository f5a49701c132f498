import ArgumentParser
import JSONTree

/// `sample-backend rollback` publishes an older version again.
struct RollbackCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Publish an older version again, as a new version.",
        discussion: """
            Give --if-match with the version that you reviewed: if another version was published \
            since, the command fails, so it undoes no change that you have not seen. Without it, \
            the command replaces only the version that is current when it starts. When the \
            older version lacks more than half of the settings, or one has another type, the \
            command asks first.
            """)

    @Argument(help: "The version to publish again.")
    var version: Int

    @OptionGroup var options: AdministrationOptions

    @OptionGroup var replacement: ReplacementOptions

    func run(with transport: any AdministrationTransport) async throws {
        let current = try await PublishedTemplate(from: transport, options)
        let tag = try await replacement.tag(of: current, options) { tag in
            guard version > 0 else { return nil }
            return try await PublishedTemplate(from: transport, options, version: version)
                .flatMap { older in current.flatMap(older.breakingPublish) }
        }
        var body: JSONNode = ["versionNumber": .string("\(version)")]
        body.setMember("description", replacement.description.map { .string($0) })
        let answer = try await transport.perform(
            AdministrationRequest(
                method: "POST",
                path: options.projectPath + "/remoteConfig:rollback" + replacement.bypass.query(),
                ifMatch: tag, body: body.jsonData()))
        answer.printWarnings()
        replacement.report(try answer.json, tag: tag, over: current, options) { number in
            "Published version \(version) again, as version \(number)"
        }
    }
}
