import ActiveConfig
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// The template that `serve --dev` publishes.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SampleTemplateTests {
    /// Section of the original sample app.
    private static let section = "SampleViewConfiguration"

    /// Section of a user, as the server returns it.
    private func settings(
        of user: String?, from backend: RunningBackend
    ) async throws -> ActiveConfigSection {
        let target = user.map { "/activeconfig/user/\($0)" } ?? "/activeconfig"
        let answer = try await backend.answer(target)
        let state = try ConfigurationState(jsonData: answer.body)
        return try #require(state.section(named: Self.section))
    }

    @Test func theSampleGivesTheUsersOfTheOriginalTheirValues() async throws {
        let backend = try await RunningBackend(["--dev"])
        for user in ["1", "2", "3"] {
            let rule = SampleDocumentSource.state(forUserID: user)
            let expected = try #require(rule.section(named: Self.section))
            let given = try await settings(of: user, from: backend)
            #expect(Set(given.settingKeys) == Set(expected.settingKeys))
            for key in expected.settingKeys {
                #expect(
                    given.value(forKey: key) == expected.value(forKey: key), "\(user) \(key)")
            }
        }
        _ = await backend.stop()
    }

    @Test(arguments: ["4", "0", "-1", "ada", nil])
    func theSampleGivesAllOthersATextWithoutPlaceholders(user: String?) async throws {
        let backend = try await RunningBackend(["--dev"])
        let given = try await settings(of: user, from: backend)
        #expect(
            given.value(forKey: "ViewBackgroundColor")
                == .object(["red": .double(0), "green": .double(0), "blue": .double(0)]))
        #expect(given.value(forKey: "ButtonEnabled") == .bool(false))
        guard case .string(let text)? = given.value(forKey: "LabelText") else {
            Issue.record("LabelText is no text")
            return
        }
        #expect(!text.contains("${"))
        _ = await backend.stop()
    }

    @Test func theSampleShowsAnExperimentAndAVersionRule() async throws {
        let backend = try await RunningBackend(["--dev"])
        let answer = try await backend.answer("/activeconfig/user/1?app.version=2.1")
        let document = try JSONNode(jsonData: answer.body)
        let experiments = try #require(document["meta"]?["experiments"])
        #expect(experiments != .emptyObject)
        let new = document["config_sections"]?["AppFeatures"]
        let old = try JSONNode(
            jsonData: try await backend.answer("/activeconfig/user/1?app.version=1.9").body)
        #expect(new != nil)
        #expect(new != old["config_sections"]?["AppFeatures"])
        _ = await backend.stop()
    }

    @Test func aDeletedProjectDoesNotComeBackWithTheNextStart() async throws {
        let folder = try TemporaryFolder()
        for isDeleted in [false, true] {
            let backend = try await RunningBackend(store: folder.store, ["--dev"])
            let status = try await backend.answer("/activeconfig").status
            #expect(status == (isDeleted ? 404 : 200))
            guard !isDeleted else {
                _ = await backend.stop()
                continue
            }
            let path = "/v1/projects/default"
            #expect(
                try await backend.administer(
                    "PATCH", "\(path)/details", body: #"{"archived": true}"#
                ).status == 200)
            #expect(
                try await backend.administer("DELETE", "\(path)?confirm=default").status == 200)
            _ = await backend.stop()
        }
    }

    @Test func theSampleIsAcceptedWithoutAWarning() async throws {
        let backend = try await RunningBackend(["--dev"])
        let template = try await backend.administer("GET", "/v1/projects/default/remoteConfig")
        let answer = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig?validateOnly=true", ifMatch: "*",
            body: String(decoding: template.body, as: UTF8.self))
        #expect(answer.status == 200)
        #expect(answer.fields["warning"] == nil)
        _ = await backend.stop()
    }
}
