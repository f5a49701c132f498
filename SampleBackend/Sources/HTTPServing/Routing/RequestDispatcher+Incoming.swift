import NIOHTTP1

extension RequestDispatcher {
    /// A request whose head was read.
    struct Incoming: Sendable {
        let head: HTTPRequestHead
        let start = ContinuousClock.now
        let address: ClientAddress?
        let target: Result<RequestTarget, RequestError>
        var entry: Entry?
        var parameters: [String: String] = [:]
        var group: RouteGroup?
        var caller: (any Sendable)?
        /// True when the answer is counted and logged; false without a connection.
        var isRecorded = true

        /// The error that ends the request before its body is read; nil when it was admitted.
        var refusal: RequestError?

        var maximumBodyBytes: Int

        /// True when a browser asks what a page of another origin may send.
        var isPreflight: Bool {
            head.method == .OPTIONS && entry != nil && group?.isReadableAcrossOrigins ?? false
                && head.headers.contains(name: "origin")
        }
    }
}
