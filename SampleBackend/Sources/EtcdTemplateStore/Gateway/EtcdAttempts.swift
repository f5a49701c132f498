/// Counts the attempts at a call, and pauses when all members have failed.
struct EtcdAttempts: Sendable {
    private let members: Int
    private var count = 0
    private var length = Duration.milliseconds(50)

    init(members: Int) { self.members = members }

    /// Waits before the next attempt, longer after each round of the members; false when the task
    /// is cancelled.
    mutating func pause() async -> Bool {
        count += 1
        if count % members == 0 {
            try? await Task.sleep(for: length * Double.random(in: 0.5...1))
            length = min(length * 2, .milliseconds(500))
        }
        return !Task.isCancelled
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
