import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import JSONTree
import TemplateStore

/// A type that is `sample-backend tokens`: the tokens of administrators.
struct TokensCommand: AsyncParsableCommand {
    /// The name, the help and the subcommands.
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Make, list or revoke the tokens of administrators.",
        discussion: """
            The first token is made where the database is: \
            sample-backend tokens create --name me --role publisher --store sqlite:PATH
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    /// A type that is `sample-backend tokens create`.
    struct Create: AdministrationCommand {
        /// The name and the help.
        static let configuration = CommandConfiguration(
            abstract: "Make a token and print it, this once.")

        /// The name of the token.
        @Option(help: "What to call it; it stands in the audit trail.")
        var name: String

        /// What it may do.
        @Option(help: "What it may do: viewer, editor or publisher.")
        var role: StoredToken.Role

        /// When it ends.
        @Option(help: "When it ends, such as 12h, 30d or 52w; never when it is left out.")
        var expires: String?

        /// Whom to ask, and how to answer.
        @OptionGroup var options: AdministrationOptions

        /// Refuses a time that is none.
        func validate() throws {
            if let expires, Self.seconds(expires) == nil {
                throw ValidationError("--expires is wrong: give a number and h, d or w, as 30d.")
            }
        }

        /// Makes the token.
        func run(with transport: any AdministrationTransport) async throws {
            var body: JSONNode = ["name": .string(name), "role": .string(role.rawValue)]
            if let seconds = expires.flatMap(Self.seconds) {
                let date = Date(timeIntervalSinceNow: seconds)
                body.setMember(
                    "expirationTime", .string(date.formatted(Date.ISO8601FormatStyle())))
            }
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "POST", path: "/v1/tokens", body: body.jsonData()))
            if options.json {
                Output.print(answer)
                return
            }
            Terminal.print(answer["token"]?.stringValue ?? "")
            Terminal.printError("Keep it now: it is not stored, and is shown this once.")
        }

        /// The seconds of a time such as `30d`.
        private static func seconds(_ text: String) -> TimeInterval? {
            guard let number = Double(text.dropLast()), number > 0, number < 100_000 else {
                return nil
            }
            switch text.last {
            case "h": return number * 3_600
            case "d": return number * 86_400
            case "w": return number * 604_800
            default: return nil
            }
        }
    }

    /// A type that is `sample-backend tokens list`.
    struct List: AdministrationCommand {
        /// The name and the help.
        static let configuration = CommandConfiguration(
            abstract: "List the tokens, the oldest first.")

        /// Whom to ask, and how to answer.
        @OptionGroup var options: AdministrationOptions

        /// Lists the tokens.
        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(AdministrationRequest(path: "/v1/tokens"))
            if options.json {
                Output.print(answer)
                return
            }
            let rows = (answer["tokens"]?.arrayValue ?? []).map { token in
                [
                    token["id"]?.stringValue ?? "", token["name"]?.stringValue ?? "",
                    token["role"]?.stringValue ?? "", token["lastUseTime"]?.stringValue ?? "never",
                    token["revocationTime"]?.stringValue.map { "revoked \($0)" }
                        ?? token["expirationTime"]?.stringValue.map { "ends \($0)" } ?? "",
                ]
            }
            Output.printTable(["ID", "NAME", "ROLE", "LAST USE", "END"], rows)
        }
    }

    /// A type that is `sample-backend tokens revoke`.
    struct Revoke: AdministrationCommand {
        /// The name and the help.
        static let configuration = CommandConfiguration(abstract: "Revoke a token for good.")

        /// The token.
        @Argument(help: "The identifier of the token, as \"tokens list\" shows it.")
        var id: String

        /// Whom to ask, and how to answer.
        @OptionGroup var options: AdministrationOptions

        /// Revokes the token.
        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(method: "DELETE", path: "/v1/tokens/\(id.percentEncoded)"))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("The token \(id) counts no more.")
            }
        }
    }
}
