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

    /// The responses of all members to a call about the member itself; nil for members that do not
    /// respond.
    func eachMember<Answer: Decodable & Sendable>(
        _ path: String, _ body: Data, as answer: Answer.Type
    ) async -> [(member: String, answer: Result<Answer, EtcdFailure>)] {
        var answers: [(String, Result<Answer, EtcdFailure>)] = []
        for member in location.members.indices {
            do throws(EtcdFailure) {
                answers.append(
                    (location.members[member], .success(try await send(path, body, to: member))))
            } catch {
                answers.append((location.members[member], .failure(error)))
            }
        }
        return answers
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
