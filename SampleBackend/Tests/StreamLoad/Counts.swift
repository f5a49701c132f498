/// A type that is what happened since the last mark.
struct Counts: Encodable, Sendable {
    /// Streams that said hello.
    var opened = 0
    /// Streams that ended, without those that did not come to a hello.
    var lost = 0
    /// Connections that could not be made, or ended before the hello.
    var failed = 0
    /// Responses that were no stream, by status; 0 is for what was not HTTP.
    var refused: [Int: Int] = [:]
    /// Streams that ended with the time to come back.
    var goodbyes = 0
    /// Clients that were told to fetch.
    var resets = 0
    /// What did not follow the contract.
    var faults = 0
    /// What the first of the faults were, with the numbers of the clients.
    var faultExamples: [String] = []
}
