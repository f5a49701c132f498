import HTTPServing
import HTTPTypes
import Metrics
import NIOConcurrencyHelpers

/// Limits the open streams and waiting long polls per address and in total, so connections remain
/// for documents, administrators and health checks.
///
/// Also limits the users of streams for many users.
final class StreamPlaces: Sendable {
    private struct State: Sendable {
        var count = 0
        var addresses: [ClientAddress: Int] = [:]
        /// Number of users of streams for many users.
        var users = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Nil means no limit.
    private let maximum: Int?

    /// Nil means no limit.
    private let maximumPerAddress: Int?

    private let maximumUsers: Int

    private let addressRefusals = Counter(
        label: "activeconfig_stream_refusals", dimensions: [("reason", "address")])
    private let serverRefusals = Counter(
        label: "activeconfig_stream_refusals", dimensions: [("reason", "server")])

    /// The range of the random delay in seconds before a refused client may retry, so clients do
    /// not retry simultaneously.
    private static let retryAfter = 10...30

    init(maximum: Int?, maximumPerAddress: Int?, maximumUsers: Int = ClientLimits().streamUsers) {
        self.maximum = maximum
        self.maximumPerAddress = maximumPerAddress
        self.maximumUsers = maximumUsers
    }

    /// Reserves a place, which is released with its last reference.
    ///
    /// An unknown address counts only towards the total; `users` is the number of users of a stream
    /// for many.
    ///
    /// - Throws: A ``RequestError`` with `Retry-After`: status 429 when the address has reached its
    ///   limit, 503 when the server has.
    func take(_ address: ClientAddress?, users: Int = 0) throws(RequestError) -> StreamPlace {
        let error = state.withLockedValue { state -> RequestError? in
            let hasRoom = maximum.map { state.count < $0 } ?? true
            guard hasRoom, users == 0 || state.users + users <= maximumUsers else {
                serverRefusals.increment()
                return .tooManyStreams(retryAfter: Int.random(in: Self.retryAfter))
            }
            if let address, let maximumPerAddress {
                guard state.addresses[address, default: 0] < maximumPerAddress else {
                    addressRefusals.increment()
                    return .tooManyStreamsOfAddress(retryAfter: Int.random(in: Self.retryAfter))
                }
                state.addresses[address, default: 0] += 1
            }
            state.count += 1
            state.users += users
            return nil
        }
        if let error { throw error }
        return StreamPlace(self, address, users: users)
    }

    fileprivate func give(back address: ClientAddress?, users: Int) {
        state.withLockedValue { state in
            state.count -= 1
            state.users -= users
            guard let address, let count = state.addresses[address] else { return }
            state.addresses[address] = count > 1 ? count - 1 : nil
        }
    }
}

/// A reserved place for one stream or long poll, released on deinitialization.
final class StreamPlace: Sendable {
    private let places: StreamPlaces
    private let address: ClientAddress?
    private let users: Int

    fileprivate init(_ places: StreamPlaces, _ address: ClientAddress?, users: Int) {
        self.places = places
        self.address = address
        self.users = users
    }

    deinit {
        places.give(back: address, users: users)
    }
}

extension RequestError {
    /// 429: the address has reached its limit of streams.
    fileprivate static func tooManyStreamsOfAddress(retryAfter seconds: Int) -> RequestError {
        RequestError(
            httpStatus: .tooManyRequests, statusName: "RESOURCE_EXHAUSTED",
            message: "There are too many streams from this address: close others, or try again in "
                + "\(seconds) s.",
            headerFields: [.retryAfter: "\(seconds)"])
    }

    /// 503: the server has reached its limit of streams.
    fileprivate static func tooManyStreams(retryAfter seconds: Int) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: "The server has reached its limit of streams: poll the document, and try "
                + "again in \(seconds) s.",
            headerFields: [.retryAfter: "\(seconds)"])
    }
}
