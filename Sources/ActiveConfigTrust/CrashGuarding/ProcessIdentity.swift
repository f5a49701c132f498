import ActiveConfig
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Identifies a process among later ones with the same number, and those of other machines.
struct ProcessIdentity: Codable, Equatable, Sendable {
    /// How a process ended.
    enum End: Sendable {
        /// Crashed: by a fault or a signal.
        case crashed
        /// Ended with the machine.
        case withMachine
    }

    /// Random per run.
    let token: String
    let number: Int32
    /// The machine or container of the process numbers; empty on Apple's platforms.
    let host: String
    /// The start of the machine; nil when unknown.
    let boot: String?
    /// The start of the process; nil when unknown.
    let start: String?

    static let current = ProcessIdentity(
        token: UUID().uuidString, number: getpid(), host: hostName, boot: bootID,
        start: startTime(of: getpid()))

    /// How this process ended, as the current one sees it; nil when it runs, or when that is
    /// unknown.
    func end(asSeenBy current: ProcessIdentity) -> End? {
        if token == current.token { return nil }
        if let boot, let now = current.boot, boot != now { return .withMachine }
        // Process numbers of another container are meaningless here.
        guard host == current.host else { return nil }
        // The current process has this number, so the other has ended.
        if number == current.number { return .crashed }
        if kill(number, 0) != 0, errno == ESRCH { return .crashed }
        guard let start, let now = Self.startTime(of: number) else { return nil }
        return start == now ? nil : .crashed
    }

    /// True under a debugger, where stopping a program is normal.
    static var isDebugged: Bool {
        #if os(Linux) || os(Android)
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
            return line.map { !$0.hasSuffix("\t0") } ?? false
        #elseif canImport(Darwin)
            var information = kinfo_proc()
            var size = MemoryLayout<kinfo_proc>.stride
            var name = [CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()]
            let count = UInt32(name.count)
            let result = unsafe withUnsafeMutableBytes(of: &information) { bytes in
                unsafe sysctl(&name, count, bytes.baseAddress, &size, nil, 0)
            }
            return result == 0 && information.kp_proc.p_flag & P_TRACED != 0
        #else
            return false
        #endif
    }

    private static var hostName: String {
        #if canImport(Darwin)
            // A host name changes with the network there, and processes have no container: the
            // start of the machine distinguishes machines.
            return ""
        #else
            var name = [CChar](repeating: 0, count: 256)
            guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
            let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        #endif
    }

    private static var bootID: String? {
        #if os(Linux) || os(Android)
            let id = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            return id?.trimmingCharacters(in: .whitespacesAndNewlines)
        #elseif canImport(Darwin)
            var size = 0
            guard unsafe sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0 else {
                return nil
            }
            var text = [CChar](repeating: 0, count: size + 1)
            guard unsafe sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else {
                return nil
            }
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        #else
            return nil
        #endif
    }

    /// In ticks since the machine's start, as text.
    private static func startTime(of number: Int32) -> String? {
        #if os(Linux) || os(Android)
            // The program's name, in parentheses, can contain any character.
            guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { return nil }
            let fields = text[end...].split(separator: " ")
            return fields.count > 20 ? String(fields[20]) : nil
        #else
            // Apps are not allowed to query other processes.
            return nil
        #endif
    }
}
