#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The priority of the current thread.
enum ThreadPriority: Sendable {
    #if canImport(Glibc)
        private static let kind = __priority_which_t(PRIO_PROCESS.rawValue)

        /// The process's nice value and 10, with which a thread gets a tenth of the time of others.
        private static let loweredNiceValue = getpriority(kind, 0) + 10
    #endif

    /// Lets the threads of event loops go before the current one; repeating it has no effect.
    static func lower() {
        #if canImport(Glibc)
            // Linux sets the value of the thread, and clamps larger values.
            _ = setpriority(kind, 0, loweredNiceValue)
        #else
            _ = pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #endif
    }
}
