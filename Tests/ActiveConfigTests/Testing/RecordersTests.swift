import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RecordersTests {
    @Test func aListenerRecordsDeliveriesInOrder() async throws {
        let config = ActiveConfig.make()
        let listener = RecordingListener()
        let waiting = Task { try await listener.waitForDeliveries(2) }
        listener.activeConfig(config, didReceiveConfigSection: .make(), forSectionName: "Home")
        listener.activeConfig(config, didReceiveConfigSection: nil, forSectionName: "Other")
        #expect(try await waiting.value == [.init("Home", .make()), .init("Other", nil)])
        #expect(listener.sections == [.make(), nil])
    }

    @Test func waitingForDeliveriesCanBeCancelled() async {
        let listener = RecordingListener()
        let waiting = Task { try await listener.waitForDeliveries(1) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func notificationsAreRecordedUntilTheRecorderIsGone() async throws {
        let center = NotificationCenter()
        let config = ActiveConfig.make(notificationCenter: center)
        let count = Locked(0)
        var recorder: NotificationRecorder? = NotificationRecorder(of: config, in: center) { _ in
            count.withLock { $0 += 1 }
        }
        let name = ActiveConfig.sectionDidChangeNotification
        center.post(name: name, object: config, userInfo: ["section_name": "Home"])
        center.post(name: name, object: nil)
        center.post(name: Notification.Name("another"), object: config)
        let entries = try await recorder?.waitForNotifications(1, named: name)
        #expect(entries?.map(\.sectionName) == ["Home"])
        #expect(recorder?.names == [name])
        recorder = nil
        center.post(name: name, object: config)
        #expect(count.withLock { $0 } == 1)
    }

    @Test func aLogIsRecordedByLevel() async throws {
        let recorder = RecordingLog()
        let config = ActiveConfig.make(log: recorder.log)
        config.currentUserID = "1"
        _ = try? await config.downloadNewConfig()
        #expect(recorder.messages(ofLevel: .info).count == 2)
        #expect(recorder.messages(ofLevel: .warning).count == 1)
        #expect(recorder.messages.count == 3)
    }

    @Test func fixturesHaveDefaults() {
        #expect(ConfigurationState.make().section(named: "Home") == .make())
        #expect(ConfigurationState.make().formatVersion == "1.0")
        #expect(ActiveConfig.make(configuration: .make())["Home"] == .make())
        #expect(
            ConfigurationState.make(sections: ["A": ["b": 1]]).sections == ["A": .make(["b": 1])])
    }
}
