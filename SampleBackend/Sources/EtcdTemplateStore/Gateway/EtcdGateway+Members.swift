import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import TemplateStore

extension EtcdGateway {
    /// Opens a watch at a member, and returns its lines; the next watch uses another member.
    func watch(
        _ request: some Encodable & Sendable
    ) async throws(EtcdFailure) -> HTTPClientResponse.Body {
        let member = state.withLock { $0.member }
        let body = try Self.encoded(request)
        let token = try await token(at: member)
        do {
            let response = try await watchClient.execute(
                self.request("/v3/watch", body, at: member, token: token),
                deadline: .now() + .nanoseconds(limits.watchSilence.nanoseconds))
            guard response.status == .ok else {
                let content = try await response.body.collect(upTo: 65_536)
                throw failure(response.status, Data(buffer: content), at: member)
            }
            return response.body
        } catch let error as EtcdFailure {
            leave(member)
            throw error
        } catch {
            leave(member)
            throw failure(error, at: member)
        }
    }

    /// Switches to another member after a watch at the current one ended.
    func leaveMember() { leave(state.withLock { $0.member }) }

    /// The responses of all members to a call about the member itself, also of members without a
    /// leader; in the order of the location.
    func eachMember<Answer: Decodable & Sendable>(
        _ path: String, _ body: Data, as answer: Answer.Type
    ) async -> [(member: String, answer: Result<Answer, EtcdFailure>)] {
        await withTaskGroup(of: (Int, Result<Answer, EtcdFailure>).self) { group in
            for member in location.members.indices {
                group.addTask {
                    do throws(EtcdFailure) {
                        let answer: Answer = try await self.send(
                            path, body, to: member, needsLeader: false)
                        return (member, .success(answer))
                    } catch {
                        return (member, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
                .map { (location.members[$0], $1) }
        }
    }

    /// Loads a page of a member outside the JSON gateway, such as its metrics; nil if there is
    /// none.
    func page(_ path: String, at member: Int) async -> Data? {
        do {
            let response = try await client.execute(
                HTTPClientRequest(url: location.members[member] + path),
                timeout: .nanoseconds(limits.attempt.nanoseconds))
            guard response.status == .ok else { return nil }
            return Data(buffer: try await response.body.collect(upTo: 4 << 20))
        } catch {
            return nil
        }
    }
}
