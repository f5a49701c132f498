import ChildProcesses
import Foundation
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// True if the tools that create certificates and use TLS are installed.
private let hasTLSTools = ["openssl", "curl"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
}

/// `sample-backend serve` with a certificate that the test creates.
@Suite(.timeLimit(.minutes(Rounds.minutes)), .enabled(if: hasTLSTools, "needs openssl and curl"))
struct TLSTests {
    /// Runs a program, and returns its exit code and output.
    private func run(_ program: String, _ arguments: [String]) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        let output = Pipe.alone()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.runAlone()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Creates a key and a certificate for this machine, and returns the options that name them.
    private func makeCertificate(in folder: TemporaryFolder) throws -> [String] {
        let key = folder.path("key.pem")
        let certificate = folder.path("certificate.pem")
        let (status, _) = try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                "-keyout", key, "-out", certificate,
            ])
        try #require(status == 0)
        return ["--tls-certificate", certificate, "--tls-key", key]
    }

    @Test func theServerServesOverTLSOnly() async throws {
        let folder = try TemporaryFolder()
        let options = try makeCertificate(in: folder)
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory", "--dev"] + options)
        var lines = process.outputLines.makeAsyncIterator()
        let line = try #require(await lines.next())
        let prefix = "listening on "
        #expect(line.hasPrefix(prefix + "https://127.0.0.1:"))
        let url = String(line.dropFirst(prefix.count)) + "/activeconfig/user/3"
        let curl = ["--silent", "--fail", "--max-time", "10"]
        let (status, body) = try run(
            "curl", curl + ["--cacert", folder.path("certificate.pem"), url])
        #expect(status == 0)
        #expect(body.contains("SampleViewConfiguration"))
        let (_, metrics) = try run(
            "curl",
            curl + [
                "--cacert", folder.path("certificate.pem"),
                url.replacing("/activeconfig/user/3", with: "/metrics"),
            ])
        let expiry = metrics.split(separator: "\n")
            .first { $0.hasPrefix("activeconfig_certificate_expiry_timestamp_seconds ") }
            .flatMap { $0.split(separator: " ").last.flatMap { Double($0) } }
        let (_, end) = try run(
            "openssl", ["x509", "-noout", "-enddate", "-in", folder.path("certificate.pem")])
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "'notAfter='MMM d HH:mm:ss yyyy zzz"
        let date = try #require(
            format.date(from: end.split(whereSeparator: \.isWhitespace).joined(separator: " ")))
        #expect(expiry == date.timeIntervalSince1970)
        let (stranger, _) = try run("curl", curl + [url])
        #expect(stranger != 0)
        let plain = url.replacingOccurrences(of: "https:", with: "http:")
        #expect(try run("curl", curl + [plain]).0 != 0)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test func theCommandLineTrustsTheCertificatesOfAFile() async throws {
        let folder = try TemporaryFolder()
        let options = try makeCertificate(in: folder)
        let file = folder.path("certificate.pem")
        let token = "a-token-for-tests-of-tls-0123456789"
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory"] + options,
            environment: ["ACTIVECONFIG_ADMIN_TOKEN": token])
        var lines = process.outputLines.makeAsyncIterator()
        let url = try #require(await lines.next()).replacing("listening on ", with: "")
        let get = ["projects", "list", "--server", url, "--token", token]

        let stranger = try await CommandRun(get)
        #expect(stranger.exitCode == 69, "\(stranger)")
        #expect(stranger.error.contains(#""CN=localhost""#), "\(stranger)")
        #expect(stranger.error.contains("--ca-file"), "\(stranger)")
        #expect(try await CommandRun(get + ["--ca-file", file]).exitCode == 0)
        #expect(try await CommandRun(get, environment: ["SSL_CERT_FILE": file]).exitCode == 0)
        let loud = get.map { $0 == url ? url.replacing("https", with: "HTTPS") : $0 }
        #expect(try await CommandRun(loud + ["--ca-file", file]).exitCode == 0)
        let named = get.map { $0 == url ? url.replacing("127.0.0.1", with: "127.0.0.2") : $0 }
        let other = try await CommandRun(named + ["--ca-file", file])
        #expect(other.exitCode == 69 && !other.error.isEmpty, "\(other)")
        for path in [folder.path("key.pem"), folder.path("none.pem")] {
            let wrong = try await CommandRun(get + ["--ca-file", path])
            #expect(wrong.exitCode == 65, "\(wrong)")
            #expect(wrong.error.contains("--ca-file"), "\(wrong)")
        }
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test func aSignalReplacesTheCertificateForNewConnections() async throws {
        let folder = try TemporaryFolder()
        let options = try makeCertificate(in: folder)
        let file = folder.path("certificate.pem")
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory"] + options)
        var lines = process.outputLines.makeAsyncIterator()
        let url = try #require(await lines.next()).replacing("listening on ", with: "")
        func serves(_ certificate: String) throws -> Bool {
            try run(
                "curl",
                [
                    "--silent", "--fail", "--max-time", "10", "--cacert", certificate,
                    url + "/health/live",
                ]
            ).0 == 0
        }
        func logged(_ text: String) async -> String? {
            await process.errorLines.first { $0.contains(text) }
        }
        let old = try folder.write(try String(contentsOfFile: file, encoding: .utf8), to: "old.pem")
        #expect(try serves(old))
        let open = try OpenTLSConnection(to: url)
        #expect(try open.status() == "HTTP/1.1 200 OK")

        _ = try makeCertificate(in: folder)
        #expect(try serves(old))
        process.send(signal: SIGHUP)
        #expect(await logged("Reloaded the certificate")?.contains(file) == true)
        let new = try folder.write(try String(contentsOfFile: file, encoding: .utf8), to: "new.pem")
        #expect(try serves(new))
        #expect(try !serves(old))
        #expect(try open.status() == "HTTP/1.1 200 OK")

        _ = try folder.write("no certificate", to: "certificate.pem")
        process.send(signal: SIGHUP)
        let failure = await logged("The certificate could not be reloaded")
        #expect(failure?.contains(file) == true)
        #expect(failure?.contains(" error ") == true)
        #expect(try serves(new))
        #expect(try open.status() == "HTTP/1.1 200 OK")
        open.close()
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test func aCertificateThatBlocksDelaysNeitherTheKeysNorTheShutdown() async throws {
        let folder = try TemporaryFolder()
        let options = try makeCertificate(in: folder)
        let keys = try folder.write(SignalTests.keys, to: "keys.json")
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory", "--user-token-jwks", keys] + options,
            // As on one processor.
            environment: ["NIO_SINGLETON_BLOCKING_POOL_THREAD_COUNT": "1"])
        var lines = process.outputLines.makeAsyncIterator()
        #expect(await lines.next()?.hasPrefix("listening on https://") == true)
        let pipe = try NamedPipe(at: folder.path("certificate.pem"))
        process.send(signal: SIGHUP)
        let writer = try await pipe.writer()
        #expect(await process.errorLines.first { $0.contains("Reloaded the key set") } != nil)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        try writer.close()
    }

    /// As with `--tls-key <(vault read …)`, which can be read once.
    @Test func theKeyCanComeThroughAPipe() async throws {
        let folder = try TemporaryFolder()
        let options = try makeCertificate(in: folder)
        let key = try Data(contentsOf: URL(filePath: folder.path("key.pem")))
        let pipe = try NamedPipe(at: folder.path("key.pem"))
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory"] + options)
        let writer = try await pipe.writer()
        try writer.write(contentsOf: key)
        try writer.close()
        var lines = process.outputLines.makeAsyncIterator()
        #expect(await lines.next()?.hasPrefix("listening on https://") == true)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test func aSessionOfTheConsoleIsKeptToTLS() async throws {
        let folder = try TemporaryFolder()
        let options = try makeCertificate(in: folder)
        let token = "a-token-for-tests-of-tls-0123456789"
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory"] + options,
            environment: ["ACTIVECONFIG_ADMIN_TOKEN": token])
        var lines = process.outputLines.makeAsyncIterator()
        let line = try #require(await lines.next())
        let url = line.replacing("listening on ", with: "")
        let curl = [
            "--silent", "--include", "--max-time", "10", "--cacert",
            folder.path("certificate.pem"),
        ]
        let body = ["--data", "{\"token\": \"\(token)\"}"]
        let (status, answer) = try run("curl", curl + body + [url + "/console/session"])
        #expect(status == 0)
        let field = try #require(
            answer.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie") })
        #expect(field.hasPrefix("Set-Cookie: __Host-activeconfig_session_"))
        #expect(field.hasSuffix("; Secure"))
        // An origin without TLS is a different origin.
        let plain = url.replacing("https:", with: "http:")
        for (origin, code) in [(url, "200"), (plain, "403")] {
            let fields = ["--header", "Origin: \(origin)"]
            let (_, answer) = try run("curl", curl + body + fields + [url + "/console/session"])
            #expect(answer.hasPrefix("HTTP/1.1 \(code) "), "\(origin)")
        }
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test func theServerNamesAKeyFileThatCannotBeUsed() async throws {
        let folder = try TemporaryFolder()
        let options = try makeCertificate(in: folder)
        let other = try folder.write("no key", to: "other.pem")
        let run = try await CommandRun(
            ["serve", "--port", "0", "--store", "memory"] + options.dropLast() + [other])
        #expect(run.exitCode == 65, "\(run)")
        #expect(run.error.contains("other.pem"), "\(run)")
        #expect(!run.output.contains("listening"))
        let store = folder.path("new.sqlite")
        let second = try await CommandRun(
            ["serve", "--port", "0", "--store", "sqlite:\(store)"] + options.dropLast() + [other])
        #expect(second.exitCode == 65, "\(second)")
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func idleConnectionsMakeRoom() async throws {
        let folder = try TemporaryFolder()
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory", "--dev", "--max-connections", "16"]
                + makeCertificate(in: folder))
        var lines = process.outputLines.makeAsyncIterator()
        let line = try #require(await lines.next())
        let url = line.replacing("listening on ", with: "")
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        try await IdleConnections.openSecurely(16, port: port) {
            try await IdleConnections.open(Array(repeating: "", count: 16), port: port) { _ in
                for _ in 0..<3 {
                    let (status, _) = try run(
                        "curl",
                        [
                            "--silent", "--fail", "--max-time", "20", "--cacert",
                            folder.path("certificate.pem"), url + "/health/live",
                        ])
                    #expect(status == 0)
                }
            }
        }
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }
}

/// A connection of `openssl s_client` that stays open.
private final class OpenTLSConnection {
    private let process = Process()
    private let input = Pipe.alone()
    private let output = Pipe.alone()

    init(to url: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "s_client", "-quiet", "-connect", url.replacing("https://", with: ""),
        ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.runAlone()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Sends a request and returns the status line; empty when the connection was closed.
    func status() throws -> String {
        try input.fileHandleForWriting.write(
            contentsOf: Data("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        var text = ""
        while !text.hasSuffix("}") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return "" }
            text += String(decoding: data, as: UTF8.self)
        }
        return String(text.prefix { $0 != "\r\n" })
    }

    func close() { try? input.fileHandleForWriting.close() }
}
