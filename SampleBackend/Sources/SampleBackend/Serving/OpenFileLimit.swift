import Foundation

/// The limit on open files of this process: each connection is one.
enum OpenFileLimit: Sendable {
    /// Files that are not available for connections, such as those of the database.
    static let reserve = 256

    /// Raises the soft limit to the hard limit, and returns the number of connections that it
    /// leaves room for; nil when there is no limit.
    static func connections() -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        guard let files = Int(exactly: limit.rlim_cur), files < Int32.max else { return nil }
        return max(files - reserve, 1)
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
