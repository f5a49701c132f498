import ChildProcesses
import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import TemplateStoreTesting
import Templates
import TemporaryFolders
import Testing

/// True if the tools that create certificates and users are installed.
private let hasTools = ["openssl", "etcdctl"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
}

/// TLS with client certificates, users, and backups of etcd, as `Operations/Cluster.md` describes.
@Suite(
    .timeLimit(.minutes(Rounds.minutes)),
    .enabled(if: hasTools, "needs openssl and etcdctl (Debian: etcd-client)"))
struct EtcdSecurityTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a program until it exits, and returns its output.
    @discardableResult
    private func run(
        _ program: String, _ arguments: [String], input: String = ""
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        process.environment = ["ETCDCTL_API": "3"]
        process.currentDirectoryURL = folder.url
        let output = Pipe.alone()
        process.standardOutput = output
        process.standardError = output
        let typed = Pipe.alone()
        process.standardInput = typed
        try process.runAlone()
        try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try typed.fileHandleForWriting.close()
        let text = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments): \(text)")
        return text
    }

    /// Creates an authority, and its certificates for the members and for a client.
    private func makeCertificates() throws {
        let key = [
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        ]
        try run(
            "openssl",
            ["req", "-x509", "-subj", "/CN=etcd authority", "-keyout", "ca.key", "-out", "ca.pem"]
                + key)
        for (name, subject, extensions) in [
            (
                "member", "/CN=member",
                "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth"
            ),
            ("client", "/O=activeconfig", "extendedKeyUsage=clientAuth"),
            ("named", "/CN=activeconfig", "extendedKeyUsage=clientAuth"),
        ] {
            _ = try folder.write(extensions, to: "\(name).ext")
            try run(
                "openssl",
                [
                    "req", "-new", "-subj", subject, "-keyout", "\(name).key", "-out",
                    "\(name).csr",
                ] + key.filter { !["-days", "2"].contains($0) })
            try run(
                "openssl",
                [
                    "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                    "-CAcreateserial", "-days", "2", "-extfile", "\(name).ext", "-out",
                    "\(name).pem",
                ])
        }
    }

    private func secureCluster() async throws -> EtcdCluster {
        try makeCertificates()
        return try await EtcdCluster(options: [
            "--cert-file", folder.path("member.pem"), "--key-file", folder.path("member.key"),
            "--client-cert-auth", "--trusted-ca-file", folder.path("ca.pem"),
        ])
    }

    /// The location of a member with TLS, with parameters.
    private func location(
        _ cluster: EtcdCluster, _ parameters: String...
    ) throws -> EtcdLocation {
        try EtcdLocation(
            parsing: cluster.secureMembers[0] + "?" + parameters.joined(separator: "&"))
    }

    private var authority: String { "ca=\(folder.path("ca.pem"))" }
    private var certificate: String {
        "cert=\(folder.path("client.pem"))&key=\(folder.path("client.key"))"
    }

    /// A certificate with a common name.
    private var namedCertificate: String {
        "cert=\(folder.path("named.pem"))&key=\(folder.path("named.key"))"
    }

    /// Opens a store, and closes it in any case.
    private func withStore(
        _ location: EtcdLocation, _ body: (EtcdTemplateStore) async throws -> Void
    ) async throws {
        let store = try await EtcdTemplateStore(location)
        do {
            try await body(store)
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }

    private func publish(in store: EtcdTemplateStore) async throws -> StoredTemplate {
        try await store.publish(
            TemplateSubmission(
                project: "p", content: Data("{}".utf8), expectation: .any, date: Date(),
                user: .init(name: "n")))
    }

    private func error(
        _ body: () async throws -> Void
    ) async throws -> TemplateStoreError? {
        do {
            try await body()
            return nil
        } catch let error as TemplateStoreError {
            return error
        }
    }

    @Test func aStoreIsUsedOverTLSWithACertificateOfTheClient() async throws {
        let cluster = try await secureCluster()
        defer { cluster.end() }
        try await withStore(location(cluster, authority, certificate)) { store in
            let published = try await publish(in: store)
            for try await change in store.changes(since: .zero) {
                #expect(change.revision == published.revision)
                break
            }
        }
        for (parameters, reason) in [(authority, "TLS"), (certificate, "TLS")] {
            let refused = try await error {
                _ = try await EtcdTemplateStore(location(cluster, parameters))
            }
            #expect(refused?.code == .unavailable)
            #expect(refused?.description.contains(reason) == true, "\(String(describing: refused))")
        }
    }

    @Test func aUserHasTheRightsOfTheirRoleOnly() async throws {
        let cluster = try await secureCluster()
        defer { cluster.end() }
        let endpoint = ["--endpoints", cluster.members[0]]
        for arguments in [
            ["user", "add", "root:r00t"], ["user", "grant-role", "root", "root"],
            ["role", "add", "activeconfig"],
            [
                "role", "grant-permission", "activeconfig", "readwrite", "--prefix=true",
                "/activeconfig/",
            ],
            ["user", "add", "activeconfig:s3cret"],
            ["user", "grant-role", "activeconfig", "activeconfig"], ["auth", "enable"],
        ] {
            try run("etcdctl", endpoint + arguments)
        }
        let password = "password-file=\(try folder.write("s3cret\n", to: "password"))"
        let wrong = "password-file=\(try folder.write("wrong\n", to: "wrong"))"
        let user = "user=activeconfig"
        try await withStore(location(cluster, authority, certificate, user, password)) { store in
            // Contents in parts, which need leases, and claims.
            try await StoreCopyTrial.fill(store)
            let published = try await publish(in: store)
            for try await change in store.changes(since: .zero) {
                #expect(change.revision <= published.revision)
                break
            }
            try await store.checkReadiness()
        }
        for (parameters, advice) in [
            ([authority, certificate], "check the address, the user"),
            ([authority, certificate, user, wrong], "check user and password-file"),
            (
                [authority, certificate, user, password, "prefix=/other/"],
                "permissions for the prefix"
            ),
            ([authority, namedCertificate, user, password], "create one without CN"),
        ] {
            let refused = try await error {
                let location = try EtcdLocation(
                    parsing: cluster.secureMembers[0] + "?" + parameters.joined(separator: "&"))
                _ = try await EtcdTemplateStore(location)
            }
            #expect(refused?.code == .unavailable)
            let text = "\(String(describing: refused))"
            #expect(text.contains(advice), "\(text)")
        }
    }

    /// Tokens that the members sign become invalid when etcd's users change; the store then reads
    /// the password again.
    @Test func aUserSignsInAgainWhenTheTokenIsOld() async throws {
        try run("openssl", ["genrsa", "-out", "jwt.key", "2048"])
        try run("openssl", ["rsa", "-in", "jwt.key", "-pubout", "-out", "jwt.pub"])
        let keys = "pub-key=\(folder.path("jwt.pub")),priv-key=\(folder.path("jwt.key"))"
        let cluster = try await EtcdCluster(
            options: ["--auth-token", "jwt,\(keys),sign-method=RS256,ttl=1h"])
        defer { cluster.end() }
        let endpoint = ["--endpoints", cluster.members[0]]
        for arguments in [
            ["user", "add", "root:r00t"], ["user", "grant-role", "root", "root"],
            ["auth", "enable"],
        ] {
            try run("etcdctl", endpoint + arguments)
        }
        var location = cluster.location()
        location.user = "root"
        location.passwordFile = try folder.write("r00t\n", to: "root-password")
        try await withStore(location) { store in
            for change in [["user", "add", "other:s3cret"], ["user", "delete", "other"]] {
                try run("etcdctl", endpoint + ["--user", "root:r00t"] + change)
                _ = try await publish(in: store)
            }
            let process = ["user", "passwd", "root", "--interactive=false"]
            try run("etcdctl", endpoint + ["--user", "root:r00t"] + process, input: "chang3d\n")
            _ = try folder.write("chang3d\n", to: "root-password")
            let published = try await publish(in: store)
            #expect(published.version.number == 3)
        }
    }

    @Test func aClusterThatWasRestoredFromASnapshotIsAnotherOne() async throws {
        let data = folder.path("data")
        let cluster = try await EtcdCluster(options: ["--data-dir", data])
        defer { cluster.end() }
        let location = cluster.location()
        try await withStore(location) { store in
            _ = try await publish(in: store)
            try run(
                "etcdctl",
                ["--endpoints", cluster.members[0], "snapshot", "save", folder.path("snapshot")])
            _ = try await publish(in: store)
            cluster.kill9(0)
            try FileManager.default.removeItem(atPath: data)
            try run(
                "etcdctl",
                [
                    "snapshot", "restore", folder.path("snapshot"), "--data-dir", data,
                    "--name", "m0", "--initial-cluster", "m0=http://127.0.0.1:1",
                    "--initial-advertise-peer-urls",
                    "http://127.0.0.1:1",
                ])
            try cluster.start(0)
            try await cluster.waitForLeader()
            for _ in 0..<2 {
                let refused = try await error { _ = try await publish(in: store) }
                #expect(refused?.code == .filesReplaced)
                #expect(
                    refused?.message.contains("replaced or restored from a backup") == true,
                    "\(String(describing: refused))")
            }
        }
        try await withStore(location) { restored in
            let next = try await publish(in: restored)
            #expect(next.version.number == 2)
        }
    }
}
