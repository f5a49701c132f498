import Foundation

/// Numbers threads round-robin, so that the first ones have different numbers.
struct ThreadNumber: Sendable {
    static let count = 16

    /// A copy of the process's key: a global is initialized on first use, which each use checks.
    private let key = Self.sharedKey

    /// The calling thread's number, from 0 to ``count`` - 1.
    @inline(__always)
    var current: Int {
        guard let key else { return 0 }
        let stored = unsafe Int(bitPattern: pthread_getspecific(key))
        return stored != 0 ? stored - 1 : assign(key)
    }

    // One for the process, since the system has few keys. If none is left, all threads have number
    // 0.
    private static let sharedKey: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()
    private static let last = Locked(count - 1)

    @inline(never)
    private func assign(_ key: pthread_key_t) -> Int {
        let number = Self.last.withLock { last in
            last = (last + 1) % Self.count
            return last
        }
        unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: number + 1))
        return number
    }
}
