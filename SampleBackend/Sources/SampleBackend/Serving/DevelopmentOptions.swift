import AdminAPI
import ArgumentParser
import Foundation
import Logging
import TemplateStore

/// The options of `serve` for development.
struct DevelopmentOptions: ParsableArguments {
    /// Lifetime of the administrator token for `--dev`, in seconds.
    private static let tokenTime: TimeInterval = 24 * 60 * 60

    @Flag(
        help: """
            For development on this machine only: publish the sample template if nothing was \
            published yet, and print a publisher's token that expires after a day.
            """)
    var dev = false

    @Option(
        help: ArgumentHelp(
            "With --dev: serve the console's files from this folder, read again for each request.",
            valueName: "folder"),
        completion: .directory)
    var consolePages: String?

    /// The folder of the console's files; nil for those in the program.
    var pages: URL? { consolePages.map { URL(filePath: $0, directoryHint: .isDirectory) } }

    /// Rejects development on a server that other machines can reach.
    func validate(isLoopback: Bool) throws {
        if consolePages != nil, !dev {
            throw ValidationError("--console-pages is for development: add --dev.")
        }
        // An empty name would mean the current folder, which contains the database by default.
        if let consolePages,
            (try? FileManager.default.contentsOfDirectory(atPath: consolePages)) == nil
        {
            throw ValidationError(
                "--console-pages \"\(consolePages)\" is not a readable folder.")
        }
        if dev, !isLoopback {
            throw ValidationError(
                "--dev is for this machine only: remove --hostname, or --dev.")
        }
    }

    /// Publishes the sample template if nothing is published, and adds the token; nil without `--dev`.
    func prepare(_ store: any TemplateStore, logger: Logger) async throws -> AccessToken? {
        guard dev else { return nil }
        try await SampleTemplate.publishIfNeeded(in: store, logger: logger)
        return try await Self.addToken(to: store)
    }

    /// Where a token for the console comes from.
    static func tokenSource(isPrinted: Bool, isNamed: Bool) -> String {
        if isPrinted { return "the administrator token that is printed after the address" }
        return isNamed
            ? "the token in ACTIVECONFIG_ADMIN_TOKEN"
            : "a token of \"sample-backend tokens create\", or set ACTIVECONFIG_ADMIN_TOKEN"
    }

    /// Adds a token with the first unused name: `dev`, `dev 2`, and so on.
    private static func addToken(to store: any TemplateStore) async throws -> AccessToken {
        let date = Date()
        var number = 1
        while true {
            let token = AccessToken(
                name: number == 1 ? "dev" : "dev \(number)", role: .publisher, date: date,
                expirationDate: date + Self.tokenTime)
            do throws(TemplateStoreError) {
                try await store.addToken(token.stored, actor: "dev")
                return token
            } catch {
                guard error.code == .tokenNameExists else { throw error }
                number += 1
            }
        }
    }
}
