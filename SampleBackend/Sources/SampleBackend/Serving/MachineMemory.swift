import Foundation

/// The memory that this process may use.
struct MachineMemory: Sendable, Hashable {
    let bytes: UInt64

    /// The memory for rendered documents when no option gives it: 1/32 of all, from 32 to 256
    /// MiB.
    var cacheMegabytes: Int { min(max(Int(bytes / 32 >> 20), 32), 256) }
}

extension MachineMemory {
    /// The smaller of the machine's memory and the limit of the container or the service.
    ///
    /// `limits` are files with a limit in bytes, or `max`, as control groups have them on Linux;
    /// missing ones are skipped.
    static func current(
        machine: UInt64 = ProcessInfo.processInfo.physicalMemory,
        limits: [String] = ["/sys/fs/cgroup/memory.max"]
    ) -> MachineMemory {
        let texts = limits.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        let numbers = texts.compactMap {
            UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return MachineMemory(bytes: numbers.reduce(machine, min))
    }
}
