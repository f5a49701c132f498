#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The priority of the current thread.
enum ThreadPriority: Sendable {
    #if canImport(Glibc)
        private static let kind = __priority_which_t(PRIO_PROCESS.rawValue)

        /// The process's nice value plus 10, which gives a thread about a tenth of the others' CPU
        /// time.
        private static let loweredNiceValue = getpriority(kind, 0) + 10
    #endif

    /// Gives the current thread a lower priority than the event loops; idempotent.
    static func lower() {
        #if canImport(Glibc)
            // Linux sets the nice value of the calling thread, and clamps values that are too
            // large.
            _ = setpriority(kind, 0, loweredNiceValue)
        #else
            _ = pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #endif
    }
}
