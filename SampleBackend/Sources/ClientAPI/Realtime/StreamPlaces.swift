import HTTPServing
import HTTPTypes
import Metrics
import NIOConcurrencyHelpers

/// Bounds how many streams are open, of one address and of all, so that places are left for
/// documents, administrators and health checks.
final class StreamPlaces: Sendable {
    private struct State: Sendable {
        var count = 0
        var addresses: [ClientAddress: Int] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// The most streams; nil sets no limit.
    private let maximum: Int?

    /// The most streams of one address; nil sets no limit.
    private let maximumPerAddress: Int?

    private let addressRefusals = Counter(
        label: "activeconfig_stream_refusals", dimensions: [("reason", "address")])
    private let serverRefusals = Counter(
        label: "activeconfig_stream_refusals", dimensions: [("reason", "server")])

    /// The time after which a client that is refused may try again.
    private static let retryAfter = 10...30

    /// Makes places.
    ///
    /// - Parameters:
    ///   - maximum: The most streams; nil sets no limit.
    ///   - maximumPerAddress: The most streams of one address; nil sets no limit.
    init(maximum: Int?, maximumPerAddress: Int?) {
        self.maximum = maximum
        self.maximumPerAddress = maximumPerAddress
    }

    /// Takes a place.
    ///
    /// - Parameter address: The client's address; nil counts for the server alone.
    /// - Returns: The place, to keep while the stream is open.
    /// - Throws: A ``RequestError`` with status 429 when the address has all it may have, with 503
    ///   when the server has; both with `Retry-After`.
    func take(_ address: ClientAddress?) throws(RequestError) -> StreamPlace {
        let error = state.withLockedValue { state -> RequestError? in
            if let maximum, state.count >= maximum {
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
            return nil
        }
        if let error { throw error }
        return StreamPlace(self, address)
    }

    fileprivate func give(back address: ClientAddress?) {
        state.withLockedValue { state in
            state.count -= 1
            guard let address, let count = state.addresses[address] else { return }
            state.addresses[address] = count > 1 ? count - 1 : nil
        }
    }
}

/// The place of one stream, given back when nobody keeps it any more.
final class StreamPlace: Sendable {
    private let places: StreamPlaces
    private let address: ClientAddress?

    fileprivate init(_ places: StreamPlaces, _ address: ClientAddress?) {
        self.places = places
        self.address = address
    }

    deinit {
        places.give(back: address)
    }
}

extension RequestError {
    /// 429: too many streams from one address.
    fileprivate static func tooManyStreamsOfAddress(retryAfter seconds: Int) -> RequestError {
        RequestError(
            httpStatus: .tooManyRequests, statusName: "RESOURCE_EXHAUSTED",
            message: "There are too many streams from this address: close others, or try again in "
                + "\(seconds) s.",
            headerFields: [.retryAfter: "\(seconds)"])
    }

    /// 503: the server has all streams that it may have.
    fileprivate static func tooManyStreams(retryAfter seconds: Int) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: "The server has all the streams it may have: read the document now and then, "
                + "and try again in \(seconds) s.",
            headerFields: [.retryAfter: "\(seconds)"])
    }
}
