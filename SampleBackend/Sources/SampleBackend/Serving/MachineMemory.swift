import Foundation

/// The memory that this process may use.
struct MachineMemory: Sendable, Hashable {
    let bytes: UInt64

    /// The memory for rendered documents when no option gives it: 1/32 of all, from 32 to 256
    /// MiB.
    var cacheMegabytes: Int { min(max(Int(bytes / (32 << 20)), 32), 256) }
}

extension MachineMemory {
    /// The smaller of the machine's memory and the limits of the container and the service.
    ///
    /// `limits` are files with a limit in bytes, or `max`; missing ones are skipped.
    static func current(
        machine: UInt64 = ProcessInfo.processInfo.physicalMemory,
        limits: [String] = limitFiles()
    ) -> MachineMemory {
        let texts = limits.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        let numbers = texts.compactMap {
            UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return MachineMemory(bytes: numbers.reduce(machine, min))
    }

    /// The files with the limits of this process's control groups (cgroups(7)), none but on Linux.
    private static func limitFiles() -> [String] {
        let groups = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
        return limitFiles(ofControlGroups: groups ?? "")
    }

    /// The files with the limits of control groups and the groups that contain them.
    ///
    /// `text` has lines as `0::/system.slice/a.service` (version 2) and `4:memory:/a` (version 1).
    static func limitFiles(ofControlGroups text: String) -> [String] {
        var files: [String] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let (root, name): (String, String)
            if parts[0] == "0", parts[1].isEmpty {
                (root, name) = ("/sys/fs/cgroup", "memory.max")
            } else if parts[1].split(separator: ",").contains("memory") {
                (root, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            } else {
                continue
            }
            var path = parts[2].split(separator: "/")
            files.append("\(root)/\(name)")
            while !path.isEmpty {
                files.append("\(root)/\(path.joined(separator: "/"))/\(name)")
                path.removeLast()
            }
        }
        return files
    }
}
