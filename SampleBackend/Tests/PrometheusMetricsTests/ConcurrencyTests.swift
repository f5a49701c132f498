import CoreMetrics
import PrometheusMetrics
import SeededRandomness
import Testing

struct ConcurrencyTests {
    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func nothingIsLostUnderContention() async throws {
        let metrics = PrometheusMetricsFactory(includesProcess: false)
        let tasks = 8
        let times = 100_000

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    let whole = metrics.makeCounter(label: "whole", dimensions: [])
                    let other = metrics.makeFloatingPointCounter(label: "other", dimensions: [])
                    let timer = metrics.makeTimer(label: "timer", dimensions: [])
                    for _ in 0..<times {
                        whole.increment(by: 1)
                        other.increment(by: 0.5)
                        timer.recordNanoseconds(500_000_000)
                    }
                }
            }
        }

        let total = Double(tasks * times)
        let text = try ParsedExposition(metrics.text())
        #expect(text["whole_total"] == total)
        #expect(text["other_total"] == total / 2)
        #expect(text["timer_seconds_bucket", ["le": "0.25"]] == 0)
        #expect(text["timer_seconds_bucket", ["le": "0.5"]] == total)
        #expect(text["timer_seconds_sum"] == total / 2)
        #expect(text["timer_seconds_count"] == total)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func histogramsAgreeWhileSeriesComeAndGo() async throws {
        let metrics = PrometheusMetricsFactory(includesProcess: false)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<5_000 {
                        let dimensions = [("round", "\((round + task) % 30)")]
                        let timer = metrics.makeTimer(label: "timer", dimensions: dimensions)
                        timer.recordNanoseconds(Int64(round) * 1_000_000)
                        if round.isMultiple(of: 3) { metrics.destroyTimer(timer) }
                    }
                }
            }
            group.addTask {
                for _ in 0..<100 {
                    let text = try ParsedExposition(metrics.text())
                    for (series, value) in text.values where series.name == "timer_seconds_count" {
                        let bucket = text[
                            "timer_seconds_bucket", series.labels.merging(["le": "+Inf"]) { $1 }]
                        #expect(bucket == value)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
