import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import TemplateStore

/// Calls etcd's JSON gateway at the member that responded last, or at another one if that fails.
final class EtcdGateway: Sendable {
    /// Time limits by kind of call.
    struct TimeLimits: Sendable {
        /// For establishing a connection.
        var connect: TimeAmount = .seconds(1)
        /// For one attempt with little content.
        ///
        /// A cluster elects a new leader within two seconds, but answers a request that waits for
        /// the old leader only after seven.
        var attempt: Duration = .milliseconds(1_500)
        /// Additional time for one attempt, per megabyte of the request.
        var attemptPerMegabyte: Duration = .seconds(3)
        /// For a read, over all attempts.
        var read: Duration = .seconds(8)
        /// For a write, over all attempts.
        var write: Duration = .seconds(20)
        /// Maximum silence of a watch.
        var watchSilence: Duration = .seconds(5)
    }

    struct State {
        /// The index of the member to call first.
        var member = 0
        var token: String?
        var clusterID: UInt64?
        /// The highest revision in any response.
        var revision: Int64 = 0
        var isOtherCluster = false
    }

    /// Maximum size of a response, in bytes; a part of a content has 1 MB, a page of a range less
    /// than 200.
    private static let maximumAnswer = 256 << 20

    let location: EtcdLocation
    let limits: TimeLimits
    let client: HTTPClient
    /// Each watch holds a connection, so watches have their own pool.
    let watchClient: HTTPClient
    let state = Locked(State())

    /// - Throws: ``TemplateStoreError`` when a file of the location cannot be read.
    init(_ location: EtcdLocation, limits: TimeLimits) throws(TemplateStoreError) {
        self.location = location
        self.limits = limits
        // Reports an unreadable file immediately.
        _ = try location.readPassword()
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try location.tlsConfiguration(), redirectConfiguration: .disallow,
            timeout: .init(connect: limits.connect))
        configuration.httpVersion = .http1Only
        // A refused connection reveals a stopped member faster than a timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        configuration.timeout.read = .nanoseconds(limits.watchSilence.nanoseconds)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        watchClient = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async {
        try? await client.shutdown()
        try? await watchClient.shutdown()
    }

    deinit {
        // Deallocating a running client traps; shutting it down twice is harmless.
        Task { [client, watchClient] in
            try? await client.shutdown()
            try? await watchClient.shutdown()
        }
    }

    /// An idempotent call, sent to one member after the other until one responds.
    func call<Answer: EtcdAnswer>(
        _ path: String, _ request: some Encodable & Sendable, as answer: Answer.Type = Answer.self
    ) async throws(EtcdFailure) -> Answer {
        let body = try Self.encoded(request)
        let end = ContinuousClock.now + limits.read
        var attempts = EtcdAttempts(members: location.members.count)
        while true {
            do {
                return try await attempt(path, body)
            } catch {
                guard error.isWorthRepeating, ContinuousClock.now < end, await attempts.pause()
                else { throw error }
            }
        }
    }

    /// One attempt at a call; after a failure, the next attempt uses another member.
    func attempt<Answer: EtcdAnswer>(
        _ path: String, _ body: Data, as answer: Answer.Type = Answer.self
    ) async throws(EtcdFailure) -> Answer {
        let (member, newest) = state.withLock { ($0.member, $0.revision) }
        do throws(EtcdFailure) {
            let answer: Answer
            do throws(EtcdFailure) {
                answer = try await send(path, body, to: member)
            } catch {
                guard error.kind == .unauthenticated, location.user != nil else { throw error }
                state.withLock { $0.token = nil }
                answer = try await send(path, body, to: member)
            }
            if Answer.hasHeader {
                guard let header = answer.header, header.clusterID != 0 else {
                    throw EtcdFailure(
                        .unknown, "\(location.members[member]) answers without a header")
                }
                try check(header, newest: newest)
            }
            return answer
        } catch {
            if error.isWorthRepeating { leave(member) }
            throw error
        }
    }

    static func encoded(_ request: some Encodable) throws(EtcdFailure) -> Data {
        do {
            return try JSONEncoder().encode(request)
        } catch {
            throw EtcdFailure(.refused, "a request cannot be written (\(error))")
        }
    }

    /// Switches to another member, unless another task has done so already.
    func leave(_ member: Int) {
        let count = location.members.count
        state.withLock { if $0.member == member { $0.member = (member + 1) % count } }
    }

    /// Detects that the members belong to another cluster, or were restored from a backup.
    ///
    /// Revisions never decrease: reads are linearizable, and `newest` was known when this read
    /// began.
    private func check(_ header: EtcdHeader, newest: Int64) throws(EtcdFailure) {
        let reason = state.withLock { state -> String? in
            if let known = state.clusterID, known != header.clusterID {
                state.isOtherCluster = true
                return
                    "the members \(location) are of the cluster \(String(header.clusterID, radix: 16)) "
                    + "now, and were of \(String(known, radix: 16))"
            }
            if header.revision < newest {
                state.isOtherCluster = true
                return
                    "the cluster \(location) is at revision \(header.revision) and was at \(newest)"
            }
            state.clusterID = header.clusterID
            state.revision = max(state.revision, header.revision)
            return nil
        }
        if let reason {
            throw EtcdFailure(
                .otherCluster,
                "The etcd cluster was replaced or restored from a backup: \(reason). Nothing is stored "
                    + "until this server is restarted")
        }
    }

    /// Sends a request to a member, with the user's token.
    ///
    /// With `needsLeader`, a member without a leader reports that immediately.
    func send<Answer: Decodable>(
        _ path: String, _ body: Data, to member: Int, needsLeader: Bool = true
    ) async throws(EtcdFailure) -> Answer {
        if state.withLock({ $0.isOtherCluster }) {
            throw EtcdFailure(
                .otherCluster,
                "The etcd cluster \(location) was replaced or restored from a backup: restart this "
                    + "server")
        }
        let token = try await token(at: member)
        return try await exchange(
            path, body, at: member, token: token, needsLeader: needsLeader)
    }

    private func exchange<Answer: Decodable>(
        _ path: String, _ body: Data, at member: Int, token: String?, needsLeader: Bool = true
    ) async throws(EtcdFailure) -> Answer {
        let limit = limits.attempt + limits.attemptPerMegabyte * (body.count / 1_000_000)
        let response: HTTPClientResponse
        let content: Data
        do {
            response = try await client.execute(
                request(path, body, at: member, token: token, needsLeader: needsLeader),
                timeout: .nanoseconds(limit.nanoseconds))
            content = Data(
                buffer: try await response.body.collect(upTo: Self.maximumAnswer))
        } catch {
            throw failure(error, at: member)
        }
        guard response.status == .ok else {
            throw failure(response.status, content, at: member)
        }
        do {
            return try JSONDecoder().decode(Answer.self, from: content)
        } catch {
            // An error in a stream has the status of success.
            if let body = try? JSONDecoder().decode(EtcdErrorBody.self, from: content) {
                throw EtcdFailure(body)
            }
            throw EtcdFailure(
                .unknown, "\(location.members[member]) sends an unexpected response (\(error))")
        }
    }

    func request(
        _ path: String, _ body: Data, at member: Int, token: String?, needsLeader: Bool = true
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: location.members[member] + path)
        request.method = .POST
        if needsLeader { request.headers.add(name: "Grpc-Metadata-hasleader", value: "true") }
        if let token { request.headers.add(name: "Authorization", value: token) }
        request.body = .bytes(ByteBuffer(data: body))
        return request
    }

    func token(at member: Int) async throws(EtcdFailure) -> String? {
        guard let user = location.user else { return nil }
        if let token = state.withLock({ $0.token }) { return token }
        let password: String?
        do {
            // Read each time, since the password may have changed.
            password = try location.readPassword()
        } catch {
            throw EtcdFailure(.unauthenticated, error.description)
        }
        struct Credentials: Encodable {
            let name: String
            let password: String
        }
        struct Answer: Decodable { let token: String }
        let body = try Self.encoded(Credentials(name: user, password: password ?? ""))
        let answer: Answer = try await exchange(
            "/v3/auth/authenticate", body, at: member, token: nil)
        state.withLock { $0.token = answer.token }
        return answer.token
    }
}
