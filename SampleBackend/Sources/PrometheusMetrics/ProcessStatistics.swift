import Foundation

/// Statistics of this process from the operating system; nil where unknown.
struct ProcessStatistics: Sendable, Hashable {
    /// Processor time used so far.
    var processorSeconds: Double?

    var maximumFiles: Double?

    var openFiles: Double?

    var residentBytes: Double?

    /// Start time of the process, in seconds since 1970.
    var startTime: Double?

    var families: [MetricFamily] {
        let rows: [(name: String, type: MetricFamily.Kind, help: String, value: Double?)] = [
            (
                "process_cpu_seconds_total", .counter,
                "User and system processor time in seconds.", processorSeconds
            ),
            ("process_max_fds", .gauge, "Maximum number of open files.", maximumFiles),
            ("process_open_fds", .gauge, "Number of open files.", openFiles),
            ("process_resident_memory_bytes", .gauge, "Resident memory in bytes.", residentBytes),
            (
                "process_start_time_seconds", .gauge,
                "Start time of the process in seconds since 1970.", startTime
            ),
        ]
        return rows.compactMap { row in
            row.value.map {
                MetricFamily(
                    name: row.name, type: row.type, help: row.help,
                    samples: [.init(name: row.name, value: $0)])
            }
        }
    }

    /// The current statistics; empty except on Linux.
    static func current() -> Self {
        #if os(Linux)
            ProcessStatistics(
                stat: text(at: "/proc/self/stat"), systemStat: text(at: "/proc/stat"),
                limits: text(at: "/proc/self/limits"),
                openFiles: try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                    .count,
                ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))),
                pageBytes: Double(sysconf(Int32(_SC_PAGESIZE))))
        #else
            ProcessStatistics()
        #endif
    }

    init() {}

    /// Parses `/proc/self/stat`, whose times are in ticks and whose memory is in pages,
    /// `/proc/stat` and `/proc/self/limits`; nil stands for a file that cannot be read.
    init(
        stat: String?, systemStat: String?, limits: String?, openFiles: Int?,
        ticksPerSecond: Double, pageBytes: Double
    ) {
        // The second field is the program's name in parentheses, which may contain any character.
        let afterName = stat.flatMap { stat in
            stat.lastIndex(of: ")").map { stat[stat.index(after: $0)...] }
        }
        let fields = afterName?.split(whereSeparator: \.isWhitespace).map { Double($0) } ?? []
        // Fields 14, 15, 22 and 24 of proc(5); the first field here is number 3.
        if fields.count > 21, ticksPerSecond > 0 {
            if let user = fields[11], let system = fields[12] {
                processorSeconds = (user + system) / ticksPerSecond
            }
            if let start = fields[19], let boot = Self.number(after: "btime", in: systemStat) {
                startTime = boot + start / ticksPerSecond
            }
            residentBytes = fields[21].map { $0 * pageBytes }
        }
        self.openFiles = openFiles.map(Double.init)
        maximumFiles = Self.number(after: "Max open files", in: limits)
    }

    /// The number that follows the prefix in the first line that starts with it.
    private static func number(after prefix: String, in text: String?) -> Double? {
        text?.split(separator: "\n").first { $0.hasPrefix(prefix + " ") }?
            .dropFirst(prefix.count).split(separator: " ").first.flatMap { Double($0) }
    }

    private static func text(at path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
