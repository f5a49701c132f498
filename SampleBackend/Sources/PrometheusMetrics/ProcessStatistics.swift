import Foundation

/// What the operating system says of this process; what it does not say is nil.
struct ProcessStatistics: Sendable, Hashable {
    /// The names of the families.
    static let names = [
        "process_cpu_seconds_total", "process_max_fds", "process_open_fds",
        "process_resident_memory_bytes", "process_start_time_seconds",
    ]

    /// The processor time used so far, in seconds.
    var processorSeconds: Double?

    /// How many files may be open.
    var maximumFiles: Double?

    /// How many files are open.
    var openFiles: Double?

    /// The bytes of memory in use.
    var residentBytes: Double?

    /// When the process started, in seconds since 1970.
    var startTime: Double?

    /// The families of what is known.
    var families: [MetricFamily] {
        let values: [(MetricType, String, Double?)] = [
            (.counter, "User and system processor time in seconds.", processorSeconds),
            (.gauge, "The most files that may be open.", maximumFiles),
            (.gauge, "Files that are open.", openFiles),
            (.gauge, "Resident memory in bytes.", residentBytes),
            (.gauge, "Start of the process in seconds since 1970.", startTime),
        ]
        return zip(Self.names, values).compactMap { name, row in
            row.2.map {
                MetricFamily(
                    name: name, type: row.0, help: row.1,
                    samples: [MetricSample(name: name, value: $0)])
            }
        }
    }

    /// Reads what the system says now; only Linux says something here.
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

    /// Makes statistics of which nothing is known.
    init() {}

    /// Makes statistics of the files below `/proc`.
    ///
    /// - Parameters:
    ///   - stat: The text of `/proc/self/stat`.
    ///   - systemStat: The text of `/proc/stat`.
    ///   - limits: The text of `/proc/self/limits`.
    ///   - openFiles: How many entries `/proc/self/fd` has.
    ///   - ticksPerSecond: The unit of times in `stat`.
    ///   - pageBytes: The unit of memory in `stat`.
    init(
        stat: String?, systemStat: String?, limits: String?, openFiles: Int?,
        ticksPerSecond: Double, pageBytes: Double
    ) {
        // The name of the program comes second, in parentheses, and may contain anything.
        let afterName = stat.flatMap { stat in
            stat.lastIndex(of: ")").map { stat[stat.index(after: $0)...] }
        }
        let fields = afterName?.split(whereSeparator: \.isWhitespace).map { Double($0) } ?? []
        // Fields 14, 15, 22 and 24 of proc(5), of which the first here is number 3.
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

    /// The number that follows a line's beginning.
    private static func number(after prefix: String, in text: String?) -> Double? {
        text?.split(separator: "\n").first { $0.hasPrefix(prefix + " ") }?
            .dropFirst(prefix.count).split(separator: " ").first.flatMap { Double($0) }
    }

    /// The text of a file, or nil when it cannot be read.
    private static func text(at path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
