import Foundation
import HTTPServing

/// The limit on open files of this process; each connection uses one.
struct OpenFileLimit: Sendable, Hashable {
    /// Files reserved for other uses than connections, such as the database.
    static let reserve = 256

    /// Maximum number of open files; nil when there is no limit.
    let files: Int?

    /// The number of connections to accept, and what to log about it.
    struct Connections: Sendable, Hashable {
        /// Nil when there is no limit.
        let maximum: Int?
        var warning: String?
    }

    /// The number of connections that the open files allow, at most `wanted` unless that is nil.
    ///
    /// - Throws: An ``OpenFileLimitError`` when no file is left for a connection.
    func connections(atMost wanted: Int?) throws(OpenFileLimitError) -> Connections {
        guard let files else { return Connections(maximum: wanted) }
        let possible = files - Self.reserve
        guard possible >= ConnectionPlaces.minimum else {
            throw OpenFileLimitError(
                files: files, neededFiles: Self.reserve + ConnectionPlaces.minimum)
        }
        guard let wanted, wanted > possible else { return Connections(maximum: wanted ?? possible) }
        return Connections(
            maximum: possible,
            warning: "--max-connections \(wanted) is more than \(files) open files allow: at most "
                + "\(possible) connections are accepted. Raise the limit (ulimit -n, LimitNOFILE).")
    }
}

extension OpenFileLimit {
    /// Raises the soft limit to the hard limit, and returns it.
    static func raised() -> OpenFileLimit {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return OpenFileLimit(files: nil) }
        // macOS has no hard limit and refuses to raise the soft limit beyond 10,240 (OPEN_MAX).
        for files in [limit.rlim_max, 10_240] where limit.rlim_cur < files {
            guard files <= limit.rlim_max else { continue }
            var raised = limit
            raised.rlim_cur = files
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return OpenFileLimit(
            files: Int(exactly: limit.rlim_cur).flatMap { $0 < Int32.max ? $0 : nil })
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}

/// A limit on open files that leaves no room for connections.
struct OpenFileLimitError: Error, Sendable, Hashable, CustomStringConvertible {
    let files: Int
    let neededFiles: Int

    var description: String {
        "The limit of \(files) open files leaves none for connections: raise it to \(neededFiles) or "
            + "more, for example with ulimit -n 1024."
    }
}
