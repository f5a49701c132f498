/// Counts since the last mark.
struct Counts: Encodable, Sendable {
    /// Streams that received a hello.
    var opened = 0
    /// Streams that ended after their hello.
    var lost = 0
    /// Connections that failed, or ended before their hello.
    var failed = 0
    /// Responses that were not a stream, by status; 0 stands for responses that were not HTTP.
    var refused: [Int: Int] = [:]
    /// Streams that ended with a reconnection delay.
    var goodbyes = 0
    /// Resets, which ask clients to download the document.
    var resets = 0
    /// Violations of the protocol.
    var faults = 0
    /// First violations, with the numbers of the clients.
    var faultExamples: [String] = []
}
