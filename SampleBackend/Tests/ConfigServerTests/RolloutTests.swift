import Foundation
import InMemoryTemplateStore
import JSONTree
import NIOConcurrencyHelpers
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing
import WebhookDelivery

@testable import AdminAPI
@testable import ClientAPI
@testable import HTTPServing

/// Rollouts that stop themselves (API 3), with a clock that stands still.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RolloutTests {
    typealias Server = ScheduleTestServer

    /// A template whose setting `a` is 2 for a percentage of the users.
    static func template(
        _ expression: String = "percent('x') <= 0", b: String = "1"
    ) -> JSONNode {
        [
            "conditions": [["name": "Beta", "expression": .string(expression)]],
            "parameters": [
                "a": [
                    "defaultValue": ["value": "1"],
                    "conditionalValues": ["Beta": ["value": "2"]],
                ],
                "b": ["defaultValue": ["value": .string(b)]],
            ],
        ]
    }

    private static func server(
        approvals: Int = 0, webhooks: WebhookOptions = WebhookOptions()
    ) async throws -> Server {
        try await Server(approvals: approvals, template: template(), webhooks: webhooks)
    }

    static func plan(
        _ percents: [Int] = [1, 10, 100], at seconds: Double? = nil,
        _ members: [String: JSONNode] = [:]
    ) -> JSONNode {
        var body: JSONNode = [
            "condition": "Beta", "percents": .array(percents.map { .number("\($0)") }),
            "intervalMinutes": 60,
        ]
        body.setMember("at", seconds.map { Server.time($0) })
        for (name, value) in members { body.setMember(name, value) }
        return body
    }

    static func create(
        on server: Server, _ body: JSONNode = plan()
    ) async -> Server.Answer {
        let answer = await server.call("POST", "/rollouts", body)
        #expect(answer.status == 201, "\(answer.message)")
        return answer
    }

    static func expression(on server: Server) async throws -> String? {
        let stored = try #require(
            try await server.store.template(version: nil, inProject: "default"))
        return try JSONNode(jsonData: stored.content)["conditions"]?.arrayValue?
            .first { $0["name"] == "Beta" }?["expression"]?.stringValue
    }

    static func rollout(_ id: String, on server: Server) async -> JSONNode {
        await server.call("GET", "/rollouts/\(id)").schedule?["rollout"] ?? .null
    }

    @Test func thePercentageRisesByStepsUntilTheLastOne() async throws {
        let server = try await Self.server()
        let made = await Self.create(on: server)
        #expect(made.schedule?["rollout"]?["state"] == "waiting")
        #expect(made.schedule?["rollout"]?["steps"]?.arrayValue?.count == 3)
        try await server.perform(at: 0)
        #expect(try await Self.expression(on: server) == "percent('x') <= 1")
        var rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "running" && rollout["percent"] == 1)
        #expect(rollout["nextPercent"] == 10)
        #expect(rollout["nextTime"]?.stringValue == (Server.beginning + 3_600).timestamp)
        // What others publish meanwhile stays, and nothing is early.
        await server.publish(Self.template("percent('x') <= 1", b: "9"))
        try await server.perform(at: 3_599)
        #expect(try await server.version()?.number == 3)
        try await server.perform(at: 3_600)
        #expect(try await Self.expression(on: server) == "percent('x') <= 10")
        #expect(try await server.values()["b"] == "9")
        let version = try #require(try await server.version())
        #expect(version.updateOrigin == .schedule && version.updateUser.name == "ada")
        #expect(version.description?.contains("10 %") == true)
        try await server.perform(at: 7_200)
        #expect(try await Self.expression(on: server) == "percent('x') <= 100")
        #expect(await Self.rollout(made.id, on: server)["state"] == "running")
        try await server.perform(at: 10_800)
        rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "completed" && rollout["percent"] == 100)
        #expect(rollout["steps"]?.arrayValue?.map { $0["versionNumber"] } == ["2", "4", "5"])
        #expect(try await server.perform(at: 90_000) == nil)
        #expect(try await server.version()?.number == 5)
        let listed = await server.call("GET", "/rollouts").body["rollouts"]?.arrayValue
        #expect(listed?.first?["schedule"]?["rollout"]?["state"] == "completed")
        let actions = try await server.store.auditEntries(
            inProject: "default", matching: AuditQuery()
        ).map(\.action)
        #expect(actions.first == .endRollout)
        #expect(actions.count { $0 == .publish } == 5)
    }

    @Test func aDryRunStoresNothing() async throws {
        let server = try await Self.server()
        let answer = await server.call("POST", "/rollouts?validateOnly=true", Self.plan(at: 60))
        #expect(answer.status == 200, "\(answer.message)")
        let rollout = answer.schedule?["rollout"]
        #expect(rollout?["steps"]?.arrayValue?.map { $0["percent"] } == [1, 10, 100])
        #expect(
            rollout?["steps"]?.arrayValue?.last?["time"]?.stringValue
                == (Server.beginning + 7_260).timestamp)
        #expect(rollout?["reportsBefore"]?["clients"] == 0)
        #expect(answer.schedule?["outlook"] == "willPublish")
        #expect(await server.call("GET", "/changeRequests").body["changeRequests"] == [])
    }

    @Test func problemsHoldARolloutBetweenTwoSteps() async throws {
        let server = try await Self.server()
        try server.report(version: 1, clients: 200, withProblems: 2)
        let made = await Self.create(
            on: server, Self.plan([10, 100], ["maximumProblemPercent": 5]))
        try await server.perform(at: 0)
        // As many as before: 1 % of all.
        try server.report(version: 2, clients: 200, withProblems: 2)
        try await server.perform(at: 30)
        var rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "running", "\(rollout)")
        #expect(rollout["check"]?["result"] == "good")
        // Some more are chance, and others have no value for the condition.
        try server.report(version: 2, clients: 200, withProblems: 8)
        try await server.perform(at: 31)
        try server.report(version: 2, clients: 200, withProblems: 100, at: "b")
        try await server.perform(at: 32)
        #expect(await Self.rollout(made.id, on: server)["state"] == "running")
        // Of 20 whom the percentage reaches.
        try server.report(version: 2, clients: 200, withProblems: 12)
        try await server.perform(at: 60)
        rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "held" && rollout["percent"] == 10)
        #expect(
            rollout["reason"]?.stringValue?.contains(
                "4 of them have new problems at Default.a, and the rollout reaches about 20: 20 %")
                == true,
            "\(rollout)")
        try await server.perform(at: 3_600)
        #expect(try await server.version()?.number == 2)
        // A person resumes it: it is held again, unless the reports are to be ignored.
        var answer = await server.call("POST", "/rollouts/\(made.id):resume", [:], tag: "*")
        #expect(answer.status == 200, "\(answer.message)")
        try await server.perform(at: 3_601)
        #expect(await Self.rollout(made.id, on: server)["state"] == "held")
        answer = await server.call(
            "POST", "/rollouts/\(made.id):resume", ["ignoreReports": true], tag: "*")
        #expect(answer.status == 200, "\(answer.message)")
        try await server.perform(at: 3_602)
        #expect(try await Self.expression(on: server) == "percent('x') <= 100")
    }

    @Test func problemsTakeBackTheLastStep() async throws {
        let server = try await Self.server()
        let made = await Self.create(
            on: server,
            Self.plan([1, 10, 100], ["maximumProblemPercent": 5, "onProblems": "takeBack"]))
        try await server.perform(at: 0)
        try server.report(version: 2, clients: 100)
        try await server.perform(at: 3_600)
        #expect(try await Self.expression(on: server) == "percent('x') <= 10")
        try server.report(version: 3, clients: 100, withProblems: 3, isActive: false)
        try await server.perform(at: 3_700)
        #expect(try await Self.expression(on: server) == "percent('x') <= 1")
        var rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "held" && rollout["percent"] == 1)
        #expect(rollout["steps"]?.arrayValue?.last?["isTakenBack"] == true)
        let version = try #require(try await server.version())
        #expect(version.description?.contains("30 %, and the bound is 5 %") == true)
        // From the first percentage all is taken back.
        let answer = await server.call(
            "POST", "/rollouts/\(made.id):takeBack", ["reason": "Broken"], tag: "*")
        #expect(answer.status == 200, "\(answer.message)")
        rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "stopped" && rollout["reason"] == "Broken")
        #expect(try await Self.expression(on: server) == "percent('x') <= 0")
        #expect(try await server.perform(at: 90_000) == nil)
    }

    @Test func aStepWaitsForReportsAndIsHeldAfterAnHour() async throws {
        let server = try await Self.server()
        let made = await Self.create(on: server, Self.plan([1, 100], ["minimumClients": 3]))
        try await server.perform(at: 0)
        try server.report(version: 2, clients: 2)
        try await server.perform(at: 3_600)
        #expect(await Self.rollout(made.id, on: server)["check"]?["result"] == "waiting")
        #expect(try await server.version()?.number == 2)
        let other = try await Self.server()
        let late = await Self.create(on: other, Self.plan([1, 100], ["minimumClients": 3]))
        try server.report(version: 2, clients: 3)
        try await server.perform(at: 3_700)
        #expect(try await server.version()?.number == 3)
        try await other.perform(at: 0)
        try await other.perform(at: 3_600)
        try await other.perform(at: 7_201)
        let rollout = await Self.rollout(late.id, on: other)
        #expect(rollout["state"] == "held", "\(rollout)")
        #expect(rollout["reason"]?.stringValue?.contains("of 3 clients that are needed") == true)
    }

    @Test func problemsStopARolloutBeforeEnoughHaveReported() async throws {
        let server = try await Self.server()
        let made = await Self.create(
            on: server, Self.plan([10, 100], ["minimumClients": 100, "maximumProblemPercent": 5]))
        try await server.perform(at: 0)
        try server.report(version: 2, clients: 50, withProblems: 50)
        try await server.perform(at: 1)
        #expect(await Self.rollout(made.id, on: server)["state"] == "held")
    }

    @Test func anEditOfTheRequestKeepsTheFirstPercentage() async throws {
        let server = try await Self.server()
        let made = await Self.create(on: server, Self.plan(at: 600))
        let target = "/changeRequests/\(made.id)"
        let other = await server.call(
            "PATCH", target, ["template": Self.template("percent('x') <= 7")], tag: "*")
        #expect(other.status == 400 && other.message.contains("another percentage"))
        let same = await server.call(
            "PATCH", target, ["template": Self.template("percent('x') <= 1.0", b: "7")], tag: "*")
        #expect(same.status == 200, "\(same.message)")
        try await server.perform(at: 600)
        try await server.perform(at: 4_200)
        #expect(try await Self.expression(on: server) == "percent('x') <= 10")
    }

    @Test func aWebhookVetoesAStep() async throws {
        var options = WebhookOptions()
        options.allowsPrivateAddresses = true
        let server = try await Self.server(webhooks: options)
        let receiver = try await WebhookReceiver(
            .status(503), .status(409, body: #"{"reason": "Change freeze"}"#), .status(204))
        try await server.addWebhook("hook", url: receiver.url(), topics: [.rolloutStep])
        let made = await Self.create(on: server)
        try await server.perform(at: 0)
        // Without an answer, nothing is published.
        try await server.perform(at: 3_600)
        #expect(await Self.rollout(made.id, on: server)["state"] == "running")
        #expect(try await server.version()?.number == 2)
        try await server.perform(at: 3_601)
        let rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "held")
        #expect(rollout["reason"]?.stringValue?.hasSuffix("refuses: Change freeze") == true)
        let answer = await server.call("POST", "/rollouts/\(made.id):resume", [:], tag: "*")
        #expect(answer.status == 200)
        try await server.perform(at: 3_602)
        #expect(try await Self.expression(on: server) == "percent('x') <= 10")
        var requests = receiver.requests.makeAsyncIterator()
        let question = try #require(await requests.next())
        let body = try JSONNode(jsonData: question.body)
        #expect(body["event"] == "rolloutStep" && body["nextPercent"] == 10)
        #expect(question.fields["activeconfig-signature"]?.hasPrefix("v1=") == true)
        try await receiver.close()
    }

    @Test func oneApprovalIsForTheWholePlan() async throws {
        let server = try await Self.server(approvals: 1)
        let now = await server.call("POST", "/rollouts", Self.plan())
        #expect(now.status == 409 && now.message.contains("1 more approval is needed"))
        let made = await Self.create(on: server, Self.plan(at: 600))
        let request = "/changeRequests/\(made.id)"
        let vote = await server.call(
            "POST", request + ":approve", [:], tag: made.tag, by: Server.bob)
        #expect(vote.status == 200, "\(vote.message)")
        // Another plan is another rollout.
        _ = await server.call("DELETE", "/scheduledPublishes/\(made.id)", tag: "*")
        let again = await server.call(
            "POST", "/rollouts",
            Self.plan([1, 100], at: 600, ["changeRequest": .string(made.id)]), tag: "*")
        #expect(again.status == 201, "\(again.message)")
        #expect(again.schedule?["outlook"] == "needsApproval")
        let second = await server.call(
            "POST", request + ":approve", [:], tag: again.tag, by: Server.bob)
        #expect(second.schedule?["outlook"] == "willPublish", "\(second.message)")
        try await server.perform(at: 600)
        try await server.perform(at: 4_200)
        #expect(try await Self.expression(on: server) == "percent('x') <= 100")
        let back = await server.call("POST", "/rollouts/\(made.id):takeBack", [:], tag: "*")
        #expect(back.status == 200, "\(back.message)")
        #expect(try await Self.expression(on: server) == "percent('x') <= 1")
    }

    @Test func aProjectThatIsProtectedLaterHoldsARollout() async throws {
        let server = try await Self.server()
        let made = await Self.create(on: server)
        try await server.perform(at: 0)
        let protected = await server.call(
            "PUT", "/protection", ["requiredApprovals": 1], tag: "*", by: Server.root)
        #expect(protected.status == 200)
        let target = "/rollouts/\(made.id):takeBack"
        try await server.perform(at: 3_600)
        #expect(await Self.rollout(made.id, on: server)["state"] == "held")
        #expect(try await server.version()?.number == 2)
        // The way back is open.
        let back = await server.call("POST", target, [:], tag: "*")
        #expect(back.status == 200, "\(back.message)")
        #expect(try await Self.expression(on: server) == "percent('x') <= 0")
    }

    @Test func aResumedRolloutKeepsItsTimesAndTakesTheNameOfTheCaller() async throws {
        let server = try await Self.server(approvals: 1)
        let made = await Self.create(on: server, Self.plan(at: 600))
        let vote = await server.call(
            "POST", "/changeRequests/\(made.id):approve", [:], tag: made.tag, by: Server.bob)
        #expect(vote.status == 200)
        try await server.perform(at: 600)
        let target = "/rollouts/\(made.id)"
        for body in [["now": true], ["ignoreReports": true]] as [JSONNode] {
            _ = await server.call("POST", target + ":hold", ["reason": "Lunch"], tag: "*")
            let refused = await server.call("POST", target + ":resume", body, tag: "*")
            #expect(refused.status == 403 && refused.message.contains("bypass"))
            let resumed = await server.call("POST", target + ":resume", [:], tag: "*")
            #expect(resumed.status == 200, "\(resumed.message)")
        }
        try await server.perform(at: 700)
        #expect(try await server.version()?.number == 2)
        _ = try await server.store.revokeToken(id: "ada", actor: "root", date: Server.beginning)
        try await server.perform(at: 4_200)
        #expect(await Self.rollout(made.id, on: server)["state"] == "held")
        let root = await server.call(
            "POST", target + ":resume", ["now": true], tag: "*", by: Server.root)
        #expect(root.status == 200, "\(root.message)")
        try await server.perform(at: 4_201)
        #expect(try await Self.expression(on: server) == "percent('x') <= 10")
        let hidden = await server.call(
            "POST", target + ":hold", ["reason": "a\u{1B}[31m"], tag: "*", by: Server.root)
        #expect(hidden.status == 400)
    }

    @Test func aConditionThatOthersChangedHoldsARollout() async throws {
        let server = try await Self.server()
        let made = await Self.create(on: server)
        try await server.perform(at: 0)
        await server.publish(Self.template("percent('x') <= 25"))
        try await server.perform(at: 3_600)
        let rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "held")
        #expect(rollout["reason"]?.stringValue?.contains("not as the rollout has set it") == true)
        let back = await server.call("POST", "/rollouts/\(made.id):takeBack", [:], tag: "*")
        #expect(back.status == 409 && back.errorStatus == "ROLLOUT_CONFLICT")
        let stopped = await server.call("DELETE", "/scheduledPublishes/\(made.id)", tag: "*")
        #expect(stopped.schedule?["rollout"]?["state"] == "stopped")
        #expect(try await Self.expression(on: server) == "percent('x') <= 25")
    }

    @Test func twoServersTakeEachStepOnce() async throws {
        let first = try await Self.server()
        let second = try await Server(on: first)
        _ = await Self.create(on: first, Self.plan([1, 2, 3, 4, 5, 100]))
        for step in 0...6 {
            let seconds = Double(step) * 3_600
            async let one = first.perform(at: seconds)
            async let two = second.perform(at: seconds)
            _ = try await (one, two)
        }
        #expect(try await first.version()?.number == 7)
        #expect(try await Self.expression(on: first) == "percent('x') <= 100")
    }

    @Test func holdingResumingAndStopping() async throws {
        let server = try await Self.server()
        let made = await Self.create(on: server, Self.plan(at: 60))
        let target = "/rollouts/\(made.id)"
        let second = await server.call("POST", "/rollouts", Self.plan([2, 100], at: 90))
        #expect(second.status == 409 && second.message.contains(made.id))
        let early = await server.call("POST", target + ":hold", [:], tag: "*")
        #expect(early.status == 409 && early.errorStatus == "ROLLOUT_STATE")
        #expect(early.message.contains("waiting"))
        try await server.perform(at: 60)
        let other = await server.call("POST", target + ":hold", [:], tag: made.tag)
        #expect(other.status == 412)
        let held = await server.call("POST", target + ":hold", ["reason": "Lunch"], tag: "*")
        #expect(held.schedule?["rollout"]?["reason"] == "Lunch", "\(held.message)")
        try await server.perform(at: 3_660)
        #expect(try await server.version()?.number == 2)
        let denied = await server.call("POST", target + ":resume", [:], tag: "*", by: Server.bob)
        #expect(denied.status == 403)
        // Nobody resumes it.
        try await server.perform(at: 60 + 60 * 86_400)
        let rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "stopped", "\(rollout)")
        #expect(rollout["reason"] == "Nobody has resumed it for 60 days.")
        #expect(try await Self.expression(on: server) == "percent('x') <= 1")
    }

    @Test func aProjectHasAtMostSixteenRollouts() async throws {
        let conditions = (1...17).map { number -> JSONNode in
            ["name": .string("c\(number)"), "expression": "percent <= 0"]
        }
        let server = try await Server(
            template: ["conditions": .array(conditions), "parameters": [:]])
        for number in 1...17 {
            let answer = await server.call(
                "POST", "/rollouts", Self.plan(at: 60, ["condition": .string("c\(number)")]))
            #expect(answer.status == (number <= 16 ? 201 : 409), "\(answer.message)")
        }
    }

    @Test func anOutageHoldsARollout() async throws {
        let server = try await Self.server()
        let made = await Self.create(on: server)
        try await server.perform(at: 0)
        try await server.perform(at: 3_600 + 3_601)
        let rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "held" && rollout["percent"] == 1)
        #expect(rollout["reason"]?.stringValue?.contains("within an hour") == true)
    }

    /// An app that does not use a version need not say why.
    @Test func refusalsWithoutAProblemHoldARollout() async throws {
        let server = try await Self.server()
        let made = await Self.create(
            on: server, Self.plan([10, 100], ["maximumProblemPercent": 5]))
        try await server.perform(at: 0)
        try server.report(version: 2, clients: 97)
        for user in 97..<100 {
            server.acknowledgements.record(
                try Acknowledgement(["template_version": 2, "in_force": false]),
                userID: "user \(user)", project: "default", current: 2, isSetting: { _ in true })
        }
        try await server.perform(at: 30)
        let rollout = await Self.rollout(made.id, on: server)
        #expect(rollout["state"] == "held", "\(rollout)")
        #expect(
            rollout["reason"]?.stringValue?.contains("problems at the whole configuration") == true,
            "\(rollout)")
    }

    /// The reports of the step are lost with the process: nothing says that apps can use it.
    @Test func aRestartDelaysTheNextStepByTheTimeThatItHasNotSeen() async throws {
        let server = try await Self.server()
        let made = await Self.create(
            on: server, Self.plan([10, 100], ["maximumProblemPercent": 5]))
        try await server.perform(at: 0)
        // Nobody has looked since.
        try server.report(version: 2, clients: 100, withProblems: 50)
        server.clock.withLockedValue { $0 = Server.beginning + 3_000 }
        let restarted = try await Server(on: server, reports: Acknowledgements())
        for seconds in [3_600, 6_599] as [Double] {
            try await restarted.perform(at: seconds)
            let rollout = await Self.rollout(made.id, on: restarted)
            #expect(try await restarted.version()?.number == 2, "\(rollout)")
            #expect(rollout["check"]?["result"] == "waiting", "\(rollout)")
        }
        try await restarted.perform(at: 6_600)
        #expect(try await Self.expression(on: restarted) == "percent('x') <= 100")
    }

    /// A server that is restarted during the delay, too, takes the step when the delay is over.
    @Test func aSecondRestartNeitherHoldsARolloutNorDelaysItAgain() async throws {
        let server = try await Self.server()
        let made = await Self.create(
            on: server, Self.plan([10, 100], ["maximumProblemPercent": 5, "intervalMinutes": 600]))
        try await server.perform(at: 0)
        // Before the step at 36,000 seconds, and an hour and more after that.
        server.clock.withLockedValue { $0 = Server.beginning + 35_000 }
        let first = try await Server(on: server, reports: Acknowledgements())
        try await first.perform(at: 36_000)
        server.clock.withLockedValue { $0 = Server.beginning + 50_000 }
        let second = try await Server(on: server, reports: Acknowledgements())
        for seconds in [50_000, 71_000] as [Double] {
            try await second.perform(at: seconds)
            let rollout = await Self.rollout(made.id, on: second)
            #expect(rollout["state"] == "running", "\(rollout)")
            #expect(rollout["check"]?["result"] == "waiting", "\(rollout)")
        }
        try await second.perform(at: 72_000)
        #expect(try await Self.expression(on: second) == "percent('x') <= 100")
    }

    private static let wrongBodies: [(JSONNode, String)] = [
        (plan([5]), "2 to 20"), (plan([5, 5]), "rise"), (plan([0, 5]), "rise"),
        (plan([50, 101]), "rise"), (plan([1, 2], ["intervalMinutes": 0]), "intervalMinutes"),
        (plan([1, 2], ["intervalMinutes": 43_201]), "intervalMinutes"),
        (plan([1, 2, 3], ["intervalMinutes": 43_200]), "60 days"),
        (plan([1, 2], ["condition": "None"]), "no condition 'None'"),
        (plan([1, 2], ["condition": "All"]), "exactly one rule"),
        (plan([1, 2], ["condition": "Not"]), "inside '!"),
        (plan([1, 2], ["condition": "Two"]), "exactly one rule"),
        (plan([1, 2], ["maximumProblemPercent": 101]), "maximumProblemPercent"),
        (plan([1, 2], ["minimumClients": -1]), "minimumClients"),
        (plan([1, 2], ["onProblems": "panic"]), "onProblems"),
        (plan([1, 2], ["until": "2027-01-01T00:00:00Z"]), "until"),
        (plan([1, 2], ["condition": "Half"]), "50 % have the condition now"),
        (plan([50, 100], ["condition": "Half"]), "50 % already"),
        (plan([10, 100], ["condition": "Between"]), "above 20"),
    ]

    @Test(arguments: wrongBodies)
    func aWrongPlanIsRefused(_ body: JSONNode, _ words: String) async throws {
        let expressions: [(String, String)] = [
            ("Beta", "percent <= 0"), ("All", "true"), ("Not", "!(percent <= 5)"),
            ("Two", "percent <= 5 && percent('y') <= 9"), ("Half", "percent <= 50"),
            ("Between", "percent between 20 and 21"),
        ]
        let conditions = expressions.map { name, expression -> JSONNode in
            ["name": .string(name), "expression": .string(expression)]
        }
        let server = try await Server(
            template: ["conditions": .array(conditions), "parameters": [:]])
        let answer = await server.call("POST", "/rollouts", body)
        #expect(answer.status == 400 && answer.message.contains(words), "\(answer.message)")
        #expect(try await server.version()?.number == 1)
    }
}
