import ChildProcesses
package import EtcdTemplateStore
import Foundation
import TemporaryFolders

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A cluster of etcd on this machine, which stops with this process, even if the process is killed.
package final class EtcdCluster: Sendable {
    /// Starts etcd, and kills it when the standard input is closed, which also happens when this
    /// process exits.
    private static let launcher = """
        exec 3<&0
        (cat <&3 >/dev/null; kill -9 $$ 2>/dev/null) &
        exec etcd "$@" </dev/null 3<&-
        """

    private let folder: TemporaryFolder
    private let options: [String]
    private let ports: ReservedPorts
    private let processes: ProcessTable
    private let names: [String]

    /// The client URLs of the members.
    package let members: [String]
    private let peers: [String]
    /// The client URLs with TLS, if the options of the caller enable it.
    package let secureMembers: [String]
    private let tokens = ClusterToken()

    /// Starts a cluster, and returns when it has a leader.
    ///
    /// - Parameters:
    ///   - count: The number of members.
    ///   - options: Additional options of etcd; with `--cert-file` it also listens with TLS.
    /// - Throws: ``EtcdClusterError`` when etcd is not installed or does not start.
    package init(members count: Int = 1, options: [String] = []) async throws {
        folder = try TemporaryFolder()
        self.options = options
        let reserved = try ReservedPorts(3 * count)
        ports = reserved
        let ports = reserved.numbers
        names = (0..<count).map { "m\($0)" }
        members = (0..<count).map { "http://127.0.0.1:\(ports[3 * $0])" }
        peers = (0..<count).map { "http://127.0.0.1:\(ports[3 * $0 + 1])" }
        let isSecure = options.contains("--cert-file")
        secureMembers =
            isSecure ? (0..<count).map { "https://127.0.0.1:\(ports[3 * $0 + 2])" } : []
        processes = ProcessTable()
        for member in 0..<count { try start(member) }
        try await waitForLeader()
    }

    /// The location of a store, by default with a unique prefix.
    package func location(prefix: String = "/\(UUID().uuidString)/") -> EtcdLocation {
        var location = EtcdLocation(members: members)
        location.prefix = prefix
        return location
    }

    /// Starts a member, also after it was killed.
    package func start(_ member: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            [
                "-c", Self.launcher, "etcd", "--name", names[member], "--data-dir",
                folder.path(names[member]), "--listen-client-urls",
                ([members[member]] + secureMembers.dropFirst(member).prefix(1))
                    .joined(separator: ","),
                "--advertise-client-urls", members[member], "--listen-peer-urls", peers[member],
                "--initial-advertise-peer-urls", peers[member], "--initial-cluster",
                zip(names, peers).map { "\($0)=\($1)" }.joined(separator: ","),
                "--initial-cluster-token", tokens.current, "--log-level", "error",
            ] + options
        let input = Pipe.alone()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        let log = try folder.write("", to: "\(names[member]).log")
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.runAlone()
        processes.set(.init(process: process, input: input), of: member)
    }

    /// Sends a signal to a member.
    package func signal(_ number: Int32, to member: Int) {
        // Another process may have the ID of a process that has exited.
        if let process = processes.process(of: member), process.process.isRunning {
            _ = kill(process.process.processIdentifier, number)
        }
    }

    /// Kills a member, and returns once its process has exited.
    package func kill9(_ member: Int) {
        guard let running = processes.process(of: member) else { return }
        signal(SIGKILL, to: member)
        // Ends the launcher's subshell, which has inherited descriptors: while they are open,
        // Foundation does not notice that the member has exited.
        try? running.input.fileHandleForWriting.close()
        // deadline: the process was killed, so it exits
        while running.process.isRunning { usleep(10_000) }
        processes.remove(member)
    }

    /// Removes the data of a killed member.
    ///
    /// Started again, it is another cluster; with `keepingID` it has the same ID, as when an operator
    /// starts it with the same command.
    package func removeData(of member: Int, keepingID: Bool = false) {
        try? FileManager.default.removeItem(atPath: folder.path(names[member]))
        if !keepingID { tokens.renew() }
    }

    /// Copies the data of a stopped member.
    package func backUp(_ member: Int) throws {
        try FileManager.default.copyItem(
            atPath: folder.path(names[member]), toPath: folder.path("backup"))
    }

    /// Swaps the data of a stopped member with the copy; a second call undoes that.
    package func swapWithBackup(_ member: Int) throws {
        let (data, backup) = (folder.path(names[member]), folder.path("backup"))
        try FileManager.default.moveItem(atPath: data, toPath: folder.path("aside"))
        try FileManager.default.moveItem(atPath: backup, toPath: data)
        try FileManager.default.moveItem(atPath: folder.path("aside"), toPath: backup)
    }

    /// Saves a snapshot of the running cluster by `etcdctl`.
    package func saveSnapshot() async throws {
        try await etcdctl(["--endpoints", members[0], "snapshot", "save", folder.path("snapshot")])
    }

    /// Replaces the data of the only member, which is stopped, with the saved snapshot: another
    /// cluster.
    package func restoreSnapshot() async throws {
        removeData(of: 0)
        try await etcdctl([
            "snapshot", "restore", folder.path("snapshot"), "--name", names[0], "--data-dir",
            folder.path(names[0]), "--initial-cluster", "\(names[0])=\(peers[0])",
            "--initial-cluster-token", tokens.current, "--initial-advertise-peer-urls", peers[0],
        ])
    }

    private func etcdctl(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["etcdctl"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["ETCDCTL_API": "3"]) {
            $1
        }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.runAlone() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else {
            throw EtcdClusterError(description: "etcdctl \(arguments) ended with \(status).")
        }
    }

    /// Waits until every member that was not killed has a leader.
    ///
    /// - Throws: ``EtcdClusterError`` with the log of a member that has none after a minute, or that
    ///   has ended by itself.
    package func waitForLeader() async throws {
        for (member, url) in members.enumerated() where processes.process(of: member) != nil {
            guard let health = URL(string: url + "/health") else { continue }
            // Without a limit, a missing response would block all tests, and if awaited synchronously also a
            // thread of the pool, which has one per processor.
            // deadline: the next attempt follows
            let request = URLRequest(url: health, timeoutInterval: 5)
            for attempt in 0... {
                if let data = try? await URLSession.shared.data(for: request).0,
                    String(decoding: data, as: UTF8.self).contains("\"true\"")
                {
                    break
                }
                let runs = processes.process(of: member)?.process.isRunning ?? false
                guard attempt < 600, runs else {
                    let log = try? String(
                        contentsOfFile: folder.path("\(names[member]).log"), encoding: .utf8)
                    throw EtcdClusterError(
                        description: "the member \(url) \(runs ? "has no leader" : "has ended"): "
                            + (log ?? ""))
                }
                // deadline: a minute in all
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Removes keys, as an operator could do.
    package func removeKeys(below prefix: String) async throws {
        var request = URLRequest(
            url: URL(string: members[0] + "/v3/kv/deleterange") ?? URL(fileURLWithPath: "/"))
        request.httpMethod = "POST"
        // The character after the slash.
        let end = prefix.dropLast() + "0"
        request.httpBody = try JSONEncoder().encode([
            "key": Data(prefix.utf8), "range_end": Data(end.utf8),
        ])
        _ = try await URLSession.shared.data(for: request)
    }

    /// Stops all members.
    package func end() {
        for member in members.indices {
            signal(SIGCONT, to: member)
            kill9(member)
        }
        folder.remove()
    }
}

/// The reason why a cluster cannot be used.
package struct EtcdClusterError: Error, CustomStringConvertible {
    package let description: String
}

/// The token by which etcd distinguishes new clusters.
private final class ClusterToken: @unchecked Sendable {  // Reached only under the lock.
    private let lock = NSLock()
    private var token = UUID().uuidString

    var current: String { lock.withLock { token } }

    func renew() { lock.withLock { token = UUID().uuidString } }
}

/// The processes of the members.
private final class ProcessTable: @unchecked Sendable {  // Reached only under the lock.
    struct Running {
        let process: Process
        /// Closing it stops the member.
        let input: Pipe
    }

    private let lock = NSLock()
    private var running: [Int: Running] = [:]

    func set(_ process: Running, of member: Int) { lock.withLock { running[member] = process } }

    func remove(_ member: Int) { lock.withLock { running[member] = nil } }

    func process(of member: Int) -> Running? { lock.withLock { running[member] } }
}

/// Ports for the members of a cluster, which nothing else takes while this object exists.
///
/// A socket stays bound to each. The kernel lets another socket listen there only if both have
/// `SO_REUSEADDR`, as those of etcd have. The search sets it after binding, so that it never finds a
/// port of another cluster, even while the member is down. The ports are below the range of
/// ephemeral ports.
private final class ReservedPorts: Sendable {
    let numbers: [Int]
    private let sockets: [Int32]

    init(_ count: Int) throws {
        var sockets: [Int32] = []
        var numbers: [Int] = []
        for port in (10_000..<32_000).shuffled() where numbers.count < count {
            guard let socket = Self.reserve(port) else { continue }
            sockets.append(socket)
            numbers.append(port)
        }
        (self.numbers, self.sockets) = (numbers, sockets)
        guard numbers.count == count else { throw EtcdClusterError(description: "no port is free") }
        #if canImport(Darwin)
            // There, another socket cannot listen on the port even so.
            for socket in sockets { _ = close(socket) }
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            for socket in sockets { _ = close(socket) }
        #endif
    }

    /// A socket that is bound to a port, or nil if the port is in use.
    private static func reserve(_ port: Int) -> Int32? {
        #if canImport(Glibc)
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        // Otherwise the processes of the tests would keep the ports.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        var isReusable: Int32 = 1
        guard isBound,
            unsafe setsockopt(
                socket, SOL_SOCKET, SO_REUSEADDR, &isReusable,
                socklen_t(MemoryLayout<Int32>.size)) == 0
        else {
            _ = close(socket)
            return nil
        }
        return socket
    }
}
