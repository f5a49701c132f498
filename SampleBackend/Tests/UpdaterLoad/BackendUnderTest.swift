import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A separate backend process on a port that stays the same across restarts.
///
/// Not thread-safe: one task uses it at a time.
final class BackendUnderTest {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let program: String
    private let folder: URL
    private let token =
        (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
        .joined() + String(repeating: "0", count: 32)
    /// The key with which a service listens for many users.
    let serviceKey = "service-\(UUID())"
    private var process: Process?
    private var port = 0

    /// The folder for a client's files, which is removed with the backend.
    var clientFolder: URL { folder.appending(path: "client") }

    var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? folder }

    init(_ program: String) throws {
        self.program = program
        folder = FileManager.default.temporaryDirectory.appending(path: "updater-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the backend, and returns once it listens.
    func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [
            "serve", "--port", "\(port)", "--store",
            "sqlite:\(folder.appending(path: "store.sqlite").path(percentEncoded: false))",
            "--log-level", "critical",
        ]
        var environment = ProcessInfo.processInfo.environment
        environment["ACTIVECONFIG_ADMIN_TOKEN"] = token
        environment["ACTIVECONFIG_SERVICE_KEY"] = serviceKey
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) {
            line += byte
        }
        let text = String(decoding: line, as: UTF8.self)
        guard let found = text.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Failure(description: "The backend does not listen: \(text)")
        }
        port = found
    }

    /// The number of connections with streams.
    var streamCount: Int {
        get async throws {
            let (data, _) = try await URLSession.shared.data(from: url.appending(path: "metrics"))
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first {
                $0.hasPrefix("activeconfig_stream_connections ")
            }
            return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        }
    }

    func kill() { signal(SIGKILL) }
    func pause() { signal(SIGSTOP) }
    func resume() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        guard let process, process.isRunning else { return }
        #if canImport(Darwin)
            Darwin.kill(process.processIdentifier, number)
        #else
            Glibc.kill(process.processIdentifier, number)
        #endif
        if number == SIGKILL {
            process.waitUntilExit()
            self.process = nil
        }
    }

    /// Publishes a template with the setting `Load.revision`, and one that depends on the user.
    ///
    /// - Returns: The version, once the backend has stored it.
    @discardableResult
    func publish(revision: Int) async throws -> Int {
        var request = URLRequest(url: url.appending(path: "v1/projects/default/remoteConfig"))
        request.httpMethod = "PUT"
        request.timeoutInterval = 10
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("*", forHTTPHeaderField: "If-Match")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(
            """
            {"parameterGroups": {"Load": {"parameters": {
              "revision": {"defaultValue": {"value": "\(revision)"}, "valueType": "NUMBER"},
              "owner": {"defaultValue": {"value": "${user.id}"}, "valueType": "STRING"}}}}}
            """.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw Failure(description: String(decoding: data, as: UTF8.self))
        }
        struct Answer: Decodable {
            struct Version: Decodable { let versionNumber: String }
            let version: Version
        }
        let answer = try JSONDecoder().decode(Answer.self, from: data)
        return Int(answer.version.versionNumber) ?? 0
    }
}
