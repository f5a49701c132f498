public import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import JSONTree
public import TemplateStore

/// `sample-backend tokens` administers the tokens of administrators.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Create, list or revoke the tokens of administrators.",
        discussion: """
            Create the first token on the machine that has the database: \
            sample-backend tokens create --name me --role publisher --store sqlite:PATH
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    /// `sample-backend tokens create`.
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a token and print it once.")

        @Option(help: "The name of the token, which the audit trail shows.")
        var name: String

        @Option(
            help: """
                The role of the token: evaluator, viewer, editor or publisher; optional with --in.
                """)
        var role: StoredToken.Role?

        @Option(
            name: .customLong("in"),
            help: ArgumentHelp(
                "A project and the role in it, such as shop=editor; repeat the option for "
                    + "others. The token then sees no other project.",
                valueName: "project=role"))
        var projects: [String] = []

        @Option(
            help: "The person who uses the token; without it, the token can request, not approve.")
        var owner: String?

        @Flag(help: "Let the token publish in protected projects without approvals.")
        var bypass = false

        @Option(help: "The lifetime of the token, such as 12h, 30d or 52w. (default: unlimited)")
        var expires: String?

        @OptionGroup var options: AdministrationOptions

        /// Rejects an invalid lifetime, and a token without a role.
        func validate() throws {
            if role == nil, projects.isEmpty {
                throw ValidationError("Give --role, or the roles in single projects with --in.")
            }
            if projects.contains(where: { Self.role($0) == nil }) {
                throw ValidationError(
                    "--in is invalid: give a project and evaluator, viewer, editor or publisher, as "
                        + "shop=editor.")
            }
            if let expires, Self.seconds(expires) == nil {
                throw ValidationError("--expires is invalid: give a number and h, d or w, as 30d.")
            }
        }

        func run(with transport: any AdministrationTransport) async throws {
            var body: JSONNode = ["name": .string(name)]
            body.setMember("role", role.map { .string($0.rawValue) })
            if !projects.isEmpty {
                var roles = JSONNode.emptyObject
                for (project, role) in projects.compactMap(Self.role) {
                    roles.setMember(project, .string(role.rawValue))
                }
                body.setMember("projects", roles)
            }
            body.setMember("owner", owner.map { .string($0) })
            if bypass { body.setMember("bypass", .bool(true)) }
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
            Terminal.printError("Save it now: it is not stored, and is shown only once.")
        }

        /// The project and the role of `shop=editor`; nil when the text is invalid.
        private static func role(_ text: String) -> (project: String, role: StoredToken.Role)? {
            guard let separator = text.lastIndex(of: "="), separator > text.startIndex,
                let role = StoredToken.Role(rawValue: String(text[separator...].dropFirst()))
            else { return nil }
            return (String(text[..<separator]), role)
        }

        /// The seconds of a duration such as `30d`; nil when it is invalid.
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

    /// `sample-backend tokens list`.
    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the tokens, the oldest first.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(AdministrationRequest(path: "/v1/tokens"))
            if options.json {
                Output.print(answer)
                return
            }
            let rows = (answer["tokens"]?.arrayValue ?? []).map { token in
                [
                    token["id"]?.stringValue ?? "", token["name"]?.stringValue ?? "",
                    token["owner"]?.stringValue ?? "", Self.roles(of: token),
                    token["lastUseTime"]?.stringValue ?? "never",
                    token["revocationTime"]?.stringValue.map { "revoked \($0)" }
                        ?? token["expirationTime"]?.stringValue.map { "expires \($0)" } ?? "",
                ]
            }
            Output.printTable(["ID", "NAME", "OWNER", "ROLE", "LAST USE", "EXPIRY"], rows)
        }

        /// The role of a token, or those by project: `shop=editor, web=viewer`.
        private static func roles(of token: JSONNode) -> String {
            guard let projects = token["projects"]?.objectValue else {
                return token["role"]?.stringValue ?? ""
            }
            return projects.map { "\($0.key)=\($0.value.stringValue ?? "")" }
                .joined(separator: ", ")
        }
    }

    /// `sample-backend tokens revoke`.
    struct Revoke: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a token permanently.")

        @Argument(help: "The identifier of the token, as \"tokens list\" shows it.")
        var id: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(method: "DELETE", path: "/v1/tokens/\(id.percentEncoded)"))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("Revoked the token \(id).")
            }
        }
    }
}

extension StoredToken.Role: ExpressibleByArgument {}
