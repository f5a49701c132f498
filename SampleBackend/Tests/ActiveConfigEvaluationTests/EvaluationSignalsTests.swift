import ActiveConfigEvaluation
import Testing

/// Signals by the names that clients send.
@Suite struct EvaluationSignalsTests {
    @Test func aValueOverTheLimitIsRefused() throws {
        let long = String(repeating: "x", count: 501)
        #expect(throws: EvaluationSignalError.self) {
            try EvaluationSignals(["signal.plan": long])
        }
        let error = #expect(throws: EvaluationSignalError.self) {
            try EvaluationSignals(["device.os": long])
        }
        #expect(error?.description.contains("\"device.os\"") == true)
    }

    @Test func aLiteralLeavesOutASignalOverTheLimit() throws {
        let long = String(repeating: "x", count: 501)
        let literal: EvaluationSignals = ["device.os": "ios", "signal.a": long, "unknown": "x"]
        #expect(try literal == EvaluationSignals(["device.os": "ios"]))
    }

    @Test func anUnknownNameIsIgnoredAsTheServerDoes() throws {
        #expect(try EvaluationSignals(["page": "3"]) == .none)
    }
}
