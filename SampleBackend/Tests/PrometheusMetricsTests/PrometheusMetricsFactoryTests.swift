import CoreMetrics
import Metrics
import PrometheusMetrics
import Testing

struct PrometheusMetricsFactoryTests {
    /// What is recorded, and the text that it gives without the families about the series.
    struct Row: Sendable, CustomTestStringConvertible {
        /// What the row is about.
        let testDescription: String

        /// The help texts.
        var help: [String: String] = [:]

        /// What is recorded.
        let record: @Sendable (PrometheusMetricsFactory) -> Void

        /// The lines that are expected.
        let lines: [String]
    }

    static let rows = [
        Row(
            testDescription: "nothing", record: { _ in }, lines: []),
        Row(
            testDescription: "a counter with a help text", help: ["http.requests": "All\nof \\"],
            record: { $0.makeCounter(label: "http.requests", dimensions: []).increment(by: 3) },
            lines: [
                #"# HELP http_requests_total All\nof \\"#, "# TYPE http_requests_total counter",
                "http_requests_total 3",
            ]),
        Row(
            testDescription: "series sorted by labels, labels by name",
            record: {
                for route in ["b", "a"] {
                    $0.makeCounter(
                        label: "x_total", dimensions: [("status-code", "200"), ("route", route)]
                    ).increment(by: 1)
                }
            },
            lines: [
                "# TYPE x_total counter", #"x_total{route="a",status_code="200"} 1"#,
                #"x_total{route="b",status_code="200"} 1"#,
            ]),
        Row(
            testDescription: "families sorted by name",
            record: {
                $0.makeMeter(label: "b", dimensions: []).set(Int64(-2))
                $0.makeMeter(label: "a", dimensions: []).set(0.5)
            },
            lines: ["# TYPE a gauge", "a 0.5", "# TYPE b gauge", "b -2"]),
        Row(
            testDescription: "label values escaped",
            record: {
                $0.makeCounter(label: "c", dimensions: [("v", "a\"b\\c\nd é")]).increment(by: 1)
            },
            lines: ["# TYPE c_total counter", #"c_total{v="a\"b\\c\nd é"} 1"#]),
        Row(
            testDescription: "names that Prometheus does not allow",
            record: {
                $0.makeMeter(label: "9 läuft:ja", dimensions: [("__name__", "x"), ("1:2", "y")])
                    .set(Int64(1))
                $0.makeMeter(label: "", dimensions: [("", "z")]).set(Int64(1))
            },
            lines: [
                "# TYPE _ gauge", #"_{_="z"} 1"#, "# TYPE _9_l_uft:ja gauge",
                #"_9_l_uft:ja{_1_2="y",_name__="x"} 1"#,
            ]),
        Row(
            testDescription: "dimensions that become one name",
            record: {
                $0.makeMeter(label: "m", dimensions: [("a.b", "1"), ("a-b", "2")]).set(Int64(1))
            },
            lines: ["# TYPE m gauge", #"m{a_b="2"} 1"#]),
        Row(
            testDescription: "whole and other amounts in one counter",
            record: {
                $0.makeCounter(label: "c", dimensions: []).increment(by: 2)
                $0.makeFloatingPointCounter(label: "c", dimensions: []).increment(by: 0.25)
            },
            lines: ["# TYPE c_total counter", "c_total 2.25"]),
        Row(
            testDescription: "amounts that a counter ignores",
            record: {
                let whole = $0.makeCounter(label: "c", dimensions: [])
                whole.increment(by: -5)
                let other = $0.makeFloatingPointCounter(label: "c", dimensions: [])
                for amount in [-1, .infinity, .nan] { other.increment(by: amount) }
            },
            lines: ["# TYPE c_total counter", "c_total 0"]),
        Row(
            testDescription: "a count that no floating-point number has",
            record: {
                $0.makeCounter(label: "c", dimensions: []).increment(by: 9_007_199_254_740_993)
            },
            lines: ["# TYPE c_total counter", "c_total 9007199254740993"]),
        Row(
            testDescription: "numbers that are not finite, in gauges",
            record: {
                $0.makeMeter(label: "a", dimensions: []).set(Double.infinity)
                $0.makeMeter(label: "b", dimensions: []).set(-Double.infinity)
                $0.makeRecorder(label: "c", dimensions: [], aggregate: false).record(Double.nan)
            },
            lines: [
                "# TYPE a gauge", "a +Inf", "# TYPE b gauge", "b -Inf", "# TYPE c gauge", "c NaN",
            ]),
        Row(
            testDescription: "a gauge that goes up and down",
            record: {
                let meter = $0.makeMeter(label: "m", dimensions: [])
                meter.increment(by: 5)
                meter.decrement(by: 1.5)
            },
            lines: ["# TYPE m gauge", "m 3.5"]),
        Row(
            testDescription: "a counter set back",
            record: {
                let counter = $0.makeCounter(label: "c", dimensions: [])
                counter.increment(by: 5)
                counter.reset()
                counter.increment(by: 1)
            },
            lines: ["# TYPE c_total counter", "c_total 1"]),
    ]

    @Test(arguments: rows)
    func writesExactly(_ row: Row) throws {
        let metrics = PrometheusMetricsFactory(configuration: .make(help: row.help))

        row.record(metrics)

        #expect(metrics.lines == row.lines)
        _ = try ParsedExposition(metrics.text())
    }

    @Test func writesAHistogramOfGivenBuckets() throws {
        let buckets = try HistogramBuckets([0.5, 1, 2.5])
        let metrics = PrometheusMetricsFactory(
            configuration: .make(buckets: ["size": buckets]))
        let recorder = metrics.makeRecorder(
            label: "size", dimensions: [("le", "x"), ("a", "y")], aggregate: true)

        for value in [0.5, 0.75, 1, 3, -1, .nan, .infinity] { recorder.record(value) }
        recorder.record(2 as Int64)

        #expect(
            metrics.lines == [
                "# TYPE size histogram",
                #"size_bucket{a="y",exported_le="x",le="0.5"} 2"#,
                #"size_bucket{a="y",exported_le="x",le="1"} 4"#,
                #"size_bucket{a="y",exported_le="x",le="2.5"} 5"#,
                #"size_bucket{a="y",exported_le="x",le="+Inf"} 6"#,
                #"size_sum{a="y",exported_le="x"} 6.25"#,
                #"size_count{a="y",exported_le="x"} 6"#,
            ])
    }

    @Test func writesTimersInSeconds() throws {
        let metrics = PrometheusMetricsFactory(configuration: .make())
        let timer = Timer(label: "request.duration", dimensions: [], factory: metrics)

        timer.recordMilliseconds(5)
        timer.recordSeconds(20)
        timer.recordNanoseconds(-1)

        let text = try ParsedExposition(metrics.text())
        #expect(text.types["request_duration_seconds"] == "histogram")
        #expect(text["request_duration_seconds_bucket", ["le": "0.0001"]] == 1)
        #expect(text["request_duration_seconds_bucket", ["le": "0.0025"]] == 1)
        #expect(text["request_duration_seconds_bucket", ["le": "0.005"]] == 2)
        #expect(text["request_duration_seconds_bucket", ["le": "10"]] == 2)
        #expect(text["request_duration_seconds_bucket", ["le": "+Inf"]] == 3)
        #expect(text["request_duration_seconds_sum"] == 20.005)
        #expect(text["request_duration_seconds_count"] == 3)
        #expect(text.values.count == 17 + 2 + 3)
    }

    @Test func givesOneSeriesForEqualDimensionsInAnyOrder() {
        let metrics = PrometheusMetricsFactory(configuration: .make())

        let one = metrics.makeCounter(label: "c", dimensions: [("a", "1"), ("b", "2")])
        let same = metrics.makeCounter(label: "c", dimensions: [("b", "2"), ("a", "1")])
        let other = metrics.makeCounter(label: "c", dimensions: [("a", "1")])

        #expect(one === same)
        #expect(one !== other)
    }

    @Test func forgetsWhatIsDestroyed() {
        let metrics = PrometheusMetricsFactory(configuration: .make())
        let handlers = (
            metrics.makeCounter(label: "a", dimensions: []),
            metrics.makeFloatingPointCounter(label: "b", dimensions: []),
            metrics.makeMeter(label: "c", dimensions: []),
            metrics.makeRecorder(label: "d", dimensions: [], aggregate: true),
            metrics.makeTimer(label: "e", dimensions: [])
        )
        #expect(metrics.lines.filter { $0.hasPrefix("# TYPE") }.count == 5)

        metrics.destroyCounter(handlers.0)
        metrics.destroyFloatingPointCounter(handlers.1)
        metrics.destroyMeter(handlers.2)
        metrics.destroyRecorder(handlers.3)
        metrics.destroyTimer(handlers.4)

        #expect(metrics.lines == [])
        // The names are free again, also for another type.
        metrics.makeMeter(label: "d_sum", dimensions: []).set(Int64(4))
        #expect(metrics.lines == ["# TYPE d_sum gauge", "d_sum 4"])
    }

    @Test func keepsTheNewSeriesWhenTheOldHandlerIsDestroyedAgain() {
        let metrics = PrometheusMetricsFactory(configuration: .make())
        let old = metrics.makeCounter(label: "c", dimensions: [])
        metrics.destroyCounter(old)
        metrics.makeCounter(label: "c", dimensions: []).increment(by: 7)

        metrics.destroyCounter(old)
        metrics.destroyCounter(NOOPMetricsHandler.instance)

        #expect(metrics.lines == ["# TYPE c_total counter", "c_total 7"])
    }

    @Test func leavesOutANameOfAnotherType() throws {
        let metrics = PrometheusMetricsFactory(configuration: .make())
        metrics.makeRecorder(label: "size", dimensions: [], aggregate: true).record(1 as Int64)
        let before = metrics.lines

        metrics.makeMeter(label: "size", dimensions: []).set(Int64(9))
        metrics.makeMeter(label: "size_count", dimensions: []).set(Int64(9))
        metrics.makeCounter(label: "process_cpu_seconds", dimensions: []).increment(by: 9)

        #expect(metrics.lines == before)
        let text = try ParsedExposition(metrics.text())
        #expect(text["metrics_series_conflicts_total"] == 3)
    }

    @Test func writesTheProcess() throws {
        var configuration = PrometheusMetricsConfiguration.make()
        configuration.includesProcess = true

        let text = try ParsedExposition(
            PrometheusMetricsFactory(configuration: configuration).text())

        #if os(Linux)
            #expect(try #require(text["process_resident_memory_bytes"]) > 1_000_000)
            #expect(try #require(text["process_cpu_seconds_total"]) >= 0)
            let open = try #require(text["process_open_fds"])
            #expect(open >= 3)
            #expect(try #require(text["process_max_fds"]) > open)
            #expect(try #require(text["process_start_time_seconds"]) > 1_700_000_000)
        #else
            #expect(text["process_open_fds"] == nil)
        #endif
    }
}
