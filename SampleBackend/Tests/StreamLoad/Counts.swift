/// Counts since the last mark.
struct Counts: Encodable, Sendable {
    /// Streams that received hello.
    var opened = 0
    /// Streams that ended after their hello.
    var lost = 0
    /// Connections that failed, or ended before their hello.
    var failed = 0
    /// Responses that were no stream, by status; 0 stands for responses that were not HTTP.
    var refused: [Int: Int] = [:]
    /// Streams that ended with a time to reconnect.
    var goodbyes = 0
    /// Clients that were told to fetch the document.
    var resets = 0
    /// Violations of the contract.
    var faults = 0
    /// First violations, with the numbers of the clients.
    var faultExamples: [String] = []
}
