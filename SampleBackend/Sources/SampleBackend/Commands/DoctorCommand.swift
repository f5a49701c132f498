import ArgumentParser
import EtcdTemplateStore
import Foundation
import HTTPServing
import JSONTree
import SQLiteTemplateStore
import TemplateStore

/// `sample-backend doctor` checks the environment of a server and reports problems.
struct DoctorCommand: AsyncParsableCommand {
    /// Open-file limit below which a busy server can run out of connections.
    private static let wantedFiles = 4_096

    /// Free disk space, in bytes, below which a warning is given.
    private static let wantedSpace = 256 << 20

    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check a server and its environment for problems.",
        discussion: """
            It checks this machine, and the store of --store or the server of --server. It exits \
            with 1 if a check fails.

            With --explain-token it reports only why a server with the same --user-token options \
            rejects a user's JWT; the server itself does not report that to clients.
            """)

    @OptionGroup var options: AdministrationOptions

    @Option(
        help: ArgumentHelp(
            "Explain why this JWT of a user is rejected; - reads it from standard input.",
            valueName: "jwt"))
    var explainToken: Secret?

    @OptionGroup(title: "Users' tokens")
    var userTokens: UserTokenOptions

    /// Rejects a token without the keys that verify it.
    func validate() throws {
        if explainToken != nil, try !userTokens.areNeeded {
            throw ValidationError(
                "--explain-token needs --user-token-secret or --user-token-jwks, as the server has it."
            )
        }
    }

    /// - Throws: ``Exit/failure`` when a check failed; warnings do not count.
    func run() async throws {
        let findings: [DoctorFinding] =
            if let explainToken { try await explain(explainToken) } else { await allFindings() }
        if options.json {
            Output.print(["findings": .array(findings.map(\.json))])
        } else {
            for finding in findings { Terminal.print(finding.line) }
        }
        if findings.contains(where: { $0.state == .failed }) { throw Exit.failure }
    }

    /// Checks this machine, and the database or the server.
    private func allFindings() async -> [DoctorFinding] {
        var findings = [Self.openFiles(), Self.clock()]
        switch options.store {
        case .sqlite(let path)?:
            findings += [Self.space(beside: path)]
            findings += await Self.database(path)
            findings += SQLiteTemplateStore.warnings(at: path).map {
                DoctorFinding("permissions", .warning, $0)
            }
        case .etcd(let location)?:
            do {
                findings += EtcdFindings(status: try await EtcdStatus(location)).all
            } catch {
                findings.append(DoctorFinding("etcd cluster", .failed, "\(error)"))
            }
        case .memory?, nil: break
        }
        if options.connection.server != nil || options.store == nil {
            findings += await server()
        }
        return findings
    }

    /// Checks the open-file limit, which `serve` raises as far as the system allows; each
    /// connection uses one file.
    private static func openFiles() -> DoctorFinding {
        let limit = OpenFileLimit.raised()
        do {
            _ = try limit.connections(atMost: nil)
        } catch {
            return DoctorFinding("open files", .failed, "\(error)")
        }
        guard let count = limit.files, count < wantedFiles else {
            let count = limit.files.map { "\($0)" } ?? "any number"
            return DoctorFinding("open files", .fine, "\(count) are allowed")
        }
        return DoctorFinding(
            "open files", .warning,
            "only \(count) are allowed, and each connection is one: raise it with \"ulimit -n "
                + "\(wantedFiles)\" or LimitNOFILE")
    }

    /// Checks that the clock is not earlier than the release of this program.
    private static func clock() -> DoctorFinding {
        // No build of this program is older than 9 October 2025.
        let oldest = Date(timeIntervalSince1970: 1_760_000_000)
        return Date() > oldest
            ? DoctorFinding("clock", .fine, Date().formatted(Date.ISO8601FormatStyle()))
            : DoctorFinding(
                "clock", .failed, "it is in the past: set it, or tokens expire at the wrong time")
    }

    /// Checks the free disk space for the database.
    private static func space(beside path: String) -> DoctorFinding {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue else {
            return DoctorFinding(
                "disk", .failed, "the folder \(folder) cannot be read: check --store")
        }
        let megabytes = free >> 20
        return free >= wantedSpace
            ? DoctorFinding("disk", .fine, "\(megabytes) MB are free")
            : DoctorFinding("disk", .warning, "only \(megabytes) MB are free: make room")
    }

    /// Checks the integrity of the database.
    private static func database(_ path: String) async -> [DoctorFinding] {
        guard FileManager.default.fileExists(atPath: path) else {
            return [
                DoctorFinding(
                    "database", .failed, "there is no file \(path): check --store")
            ]
        }
        do {
            let store = try await SQLiteTemplateStore.reading(path: path)
            do throws(TemplateStoreError) {
                try await store.checkReadiness()
                let faults = try await store.checkIntegrity()
                let snapshot = try await store.snapshot()
                await store.close()
                if faults.isEmpty {
                    let intact = DoctorFinding(
                        "database", .fine,
                        "it is intact: \(snapshot.templates.count) "
                            + (snapshot.templates.count == 1 ? "project" : "projects")
                            + ", revision \(snapshot.revision)")
                    return [intact] + writability(path)
                }
                return faults.map {
                    DoctorFinding("database", .failed, "\($0): restore a backup")
                }
            } catch {
                await store.close()
                throw error
            }
        } catch {
            return [DoctorFinding("database", .failed, "\(error)")]
        }
    }

    /// A warning when this user cannot write a database, as a server must.
    private static func writability(_ path: String) -> [DoctorFinding] {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if [path, folder].allSatisfy(FileManager.default.isWritableFile(atPath:)) { return [] }
        return [
            DoctorFinding(
                "permissions", .warning,
                "this user cannot write the file or its folder: enough for a backup, but a server "
                    + "needs both")
        ]
    }

    /// The role of the token, derived from the requests that it allows.
    private static func role(_ transport: any AdministrationTransport) async throws -> String {
        let tokens = try await transport.send(AdministrationRequest(path: "/v1/tokens"))
        if tokens.status == 200 { return "publisher" }
        let projects = try await transport.send(AdministrationRequest(path: "/v1/projects"))
        if projects.status == 403 { return "evaluator" }
        let users: JSONNode = ["users": []]
        let preview = try await transport.send(
            AdministrationRequest(
                method: "POST", path: "/v1/projects/default/remoteConfig:preview",
                body: users.jsonData()))
        return preview.status == 403 ? "viewer" : "editor"
    }

    /// Checks that the server responds, and finds out the token's role.
    private func server() async -> [DoctorFinding] {
        do {
            return try await options.withAdministration { transport in
                let live = try await transport.send(
                    AdministrationRequest(path: "/health/ready"))
                let ready =
                    live.status == 200
                    ? (try? live.json)?["reason"]?.stringValue.map {
                        DoctorFinding("server", .warning, "it is degraded: \($0)")
                    } ?? DoctorFinding("server", .fine, "it is ready")
                    : DoctorFinding(
                        "server", .failed,
                        "it is not ready (status \(live.status)): "
                            + ((try? live.json)?["error"]?["message"]?.stringValue
                                ?? "see its log"))
                let template = try await transport.send(
                    AdministrationRequest(path: options.projectPath + "/remoteConfig"))
                let token =
                    switch template.status {
                    case 200:
                        DoctorFinding(
                            "token", .fine,
                            "its role is \(try await Self.role(transport)); current is "
                                + "\(template.entityTag ?? "no version") of \(options.project)")
                    case 404:
                        DoctorFinding(
                            "token", .warning,
                            "it is valid, but nothing is published in \(options.project) yet")
                    case 401:
                        DoctorFinding(
                            "token", .failed, "it is missing, invalid or expired: check --token")
                    default:
                        DoctorFinding(
                            "token", .failed, "the server answers with \(template.status)")
                    }
                return [ready, token]
            }
        } catch let failure as CommandFailure {
            return [DoctorFinding("server", .failed, failure.description)]
        } catch {
            return [DoctorFinding("server", .failed, "\(error)")]
        }
    }
}
