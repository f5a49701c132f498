internal import Dispatch

enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// True where `MainActor.assumeIsolated` may be called.
    ///
    /// On Linux, the main queue leaves the main thread once the program waits in `dispatchMain`, as
    /// every asynchronous `main` does, so asking for the thread is not enough.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}
