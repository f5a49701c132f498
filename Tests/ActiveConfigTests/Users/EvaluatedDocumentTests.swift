import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// A document that the program made for many users.
struct EvaluatedDocumentTests {
    private static let columns = SettingKey("Home", "columns", default: 1)

    private let config = ActiveConfig.make(store: nil)

    private func document(_ columns: SettingValue) -> ConfigurationState {
        .make(sections: ["Home": ["columns": columns]])
    }

    @Test func eachUserReadsIt() {
        config.setDefaults(["Home": ["rows": 2]])
        let evaluated = EvaluatedDocument(document(3), of: config)
        let snapshot = evaluated.snapshot(forUserID: "caf\u{e9}")
        #expect(snapshot.userID.map { Array($0.utf8) } == Array("caf\u{e9}".utf8))
        #expect(snapshot[Self.columns] == 3)
        #expect(snapshot["Home"]?.integer(forKey: "rows") == 2)
        #expect(snapshot.document == document(3))
        #expect(evaluated.snapshot(forUserID: nil).userID == nil)
        #expect(snapshot.diagnostics.explain(Self.columns).source == .downloaded)
        // The configuration itself is as it was.
        #expect(config[Self.columns] == 1)
    }

    @Test func usersShareWhatIsDecoded() {
        let evaluated = EvaluatedDocument(document(3), of: config)
        let first = evaluated.snapshot(forUserID: "1").contents.decoded
        #expect(first === evaluated.snapshot(forUserID: "2").contents.decoded)
    }

    @Test func observersReceiveTheReadsOfEachUserAndProblemsAreLoggedOnce() {
        let (reads, lines) = (Locked<[String]>([]), Locked<[String]>([]))
        let config = ActiveConfig(
            options: ActiveConfigOptions(
                log: ActiveConfigLog { _, message in lines.withLock { $0.append(message) } }))
        let observation = config.addObserver(
            ClosureObserver { event in
                guard case .read(let read) = event.kind else { return }
                reads.withLock { $0.append("\(event.userID ?? "nil") \(read.value ?? .null)") }
            })
        let evaluated = EvaluatedDocument(document("many"), of: config)
        for userID in ["1", "2", nil] {
            let snapshot = evaluated.snapshot(forUserID: userID)
            #expect(snapshot[Self.columns] == 1)
            #expect(snapshot[Self.columns] == 1)
            #expect(snapshot.diagnostics.problems.count == 1)
        }
        observation.cancel()
        #expect(reads.withLock { $0 } == ["1 null", "2 null", "nil null"])
        #expect(lines.withLock { $0.filter { $0.contains("columns") }.count } == 1)
    }
}
