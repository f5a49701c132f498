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

/// A cluster of etcd on this machine, which ends with this process, even if that is killed.
package final class EtcdCluster: Sendable {
    /// Becomes etcd, which is killed when the standard input is closed, as at the end of this process.
    private static let launcher = """
        exec 3<&0
        (cat <&3 >/dev/null; kill -9 $$ 2>/dev/null) &
        exec etcd "$@" </dev/null 3<&-
        """

    private let folder: TemporaryFolder
    private let options: [String]
    private let processes: ProcessTable
    private let names: [String]

    /// The client URLs of the members.
    package let members: [String]
    private let peers: [String]
    /// The client URLs with TLS, by the options of the caller.
    package let secureMembers: [String]
    private let tokens = ClusterToken()

    /// Starts a cluster, and returns when it has a leader.
    ///
    /// - Parameters:
    ///   - count: The number of members.
    ///   - options: More options of etcd; with `--cert-file` it listens for TLS too.
    /// - Throws: ``EtcdClusterError`` when etcd is not installed or does not start.
    package init(members count: Int = 1, options: [String] = []) async throws {
        folder = try TemporaryFolder()
        self.options = options
        let ports = try FreePorts.take(3 * count)
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

    /// The location of a store with a prefix of its own.
    package func location(prefix: String = "/\(UUID().uuidString)/") -> EtcdLocation {
        var location = EtcdLocation(members: members)
        location.prefix = prefix
        return location
    }

    /// Starts a member, again after it was killed.
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
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes.set(.init(process: process, input: input), of: member)
    }

    /// Sends a signal to a member.
    package func signal(_ number: Int32, to member: Int) {
        // Another process may have the number of one that has ended.
        if let process = processes.process(of: member), process.process.isRunning {
            _ = kill(process.process.processIdentifier, number)
        }
    }

    /// Kills a member, and returns when it has ended.
    package func kill9(_ member: Int) {
        guard let running = processes.process(of: member) else { return }
        signal(SIGKILL, to: member)
        // The process that waits for it has inherited descriptors, without which Foundation does not
        // see the end.
        try? running.input.fileHandleForWriting.close()
        // deadline: the process was killed, so that it ends
        while running.process.isRunning { usleep(10_000) }
    }

    /// Removes what a member has stored, after it was killed; started again, it is another cluster, which
    /// has the same id if that is kept, as when somebody starts it by the same command.
    package func removeData(of member: Int, keepingID: Bool = false) {
        try? FileManager.default.removeItem(atPath: folder.path(names[member]))
        if !keepingID { tokens.renew() }
    }

    /// Keeps a copy of what a member has stored, while it does not run.
    package func backUp(_ member: Int) throws {
        try FileManager.default.copyItem(
            atPath: folder.path(names[member]), toPath: folder.path("backup"))
    }

    /// Replaces what a member has stored by the copy, while it does not run; a second call undoes that.
    package func swapWithBackup(_ member: Int) throws {
        let (data, backup) = (folder.path(names[member]), folder.path("backup"))
        try FileManager.default.moveItem(atPath: data, toPath: folder.path("aside"))
        try FileManager.default.moveItem(atPath: backup, toPath: data)
        try FileManager.default.moveItem(atPath: folder.path("aside"), toPath: backup)
    }

    /// Waits until every member has a leader.
    package func waitForLeader() async throws {
        for url in members {
            guard let health = URL(string: url + "/health") else { continue }
            // Without a limit, an answer that never comes would hold up all tests: awaited synchronously, it
            // would even keep a thread of the pool, of which there are as many as processors.
            // deadline: the next attempt follows
            let request = URLRequest(url: health, timeoutInterval: 5)
            for attempt in 0... {
                if let data = try? await URLSession.shared.data(for: request).0,
                    String(decoding: data, as: UTF8.self).contains("\"true\"")
                {
                    break
                }
                guard attempt < 600 else {
                    throw EtcdClusterError(
                        description: "the member \(url) has no leader: is etcd-server installed?")
                }
                // deadline: a minute in all
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Removes keys, as somebody does by hand.
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

    /// Ends all members.
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

/// The text by which etcd tells new clusters apart.
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
        /// Closing it ends the member.
        let input: Pipe
    }

    private let lock = NSLock()
    private var running: [Int: Running] = [:]

    func set(_ process: Running, of member: Int) { lock.withLock { running[member] = process } }

    func process(of member: Int) -> Running? { lock.withLock { running[member] } }
}

/// Ports that nothing listens on.
///
/// They lie below the range from which systems take the ports of outgoing connections: one of these could
/// have the port of a member that was killed, which then cannot be started again.
private enum FreePorts {
    static func take(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { for socket in sockets { _ = close(socket) } }
        var ports: [Int] = []
        for port in (10_000..<32_000).shuffled() where ports.count < count {
            #if canImport(Glibc)
                let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let socket = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = in_port_t(port).bigEndian
            let isBound = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isBound else {
                _ = close(socket)
                continue
            }
            // Held until all are found, so that tests side by side find others.
            sockets.append(socket)
            ports.append(port)
        }
        guard ports.count == count else { throw EtcdClusterError(description: "no port is free") }
        return ports
    }
}
