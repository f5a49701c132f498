import CoreMetrics
import Metrics
import PrometheusMetrics
import Testing

struct PrometheusMetricsFactoryTests {
    /// Recorded metrics with the expected exposition.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String

        /// Help texts by label.
        var help: [String: String] = [:]

        /// Records the metrics.
        let record: @Sendable (PrometheusMetricsFactory) -> Void

        /// Expected lines.
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
                $0.gauge("b", []).record(Int64(-2))
                $0.gauge("a", []).record(0.5)
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
                $0.gauge("9 läuft:ja", [("__name__", "x"), ("1:2", "y")])
                    .record(Int64(1))
                $0.gauge("", [("", "z")]).record(Int64(1))
            },
            lines: [
                "# TYPE _ gauge", #"_{_="z"} 1"#, "# TYPE _9_l_uft:ja gauge",
                #"_9_l_uft:ja{_1_2="y",_name__="x"} 1"#,
            ]),
        Row(
            testDescription: "dimensions that become one name",
            record: {
                $0.gauge("m", [("a.b", "1"), ("a-b", "2")]).record(Int64(1))
            },
            lines: ["# TYPE m gauge", #"m{a_b="2"} 1"#]),
        Row(
            testDescription: "whole and other amounts in one counter",
            record: {
                $0.makeCounter(label: "c", dimensions: []).increment(by: 2)
                let other = $0.makeFloatingPointCounter(label: "c", dimensions: [])
                for _ in 0..<5 { other.increment(by: 0.25) }
            },
            lines: ["# TYPE c_total counter", "c_total 3"]),
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
                $0.gauge("a", []).record(Double.infinity)
                $0.gauge("b", []).record(-Double.infinity)
                $0.gauge("c").record(Double.nan)
            },
            lines: [
                "# TYPE a gauge", "a +Inf", "# TYPE b gauge", "b -Inf", "# TYPE c gauge", "c NaN",
            ]),
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
    func aRecordingIsWrittenExactly(_ row: Row) throws {
        let metrics = PrometheusMetricsFactory(help: row.help, includesProcess: false)

        row.record(metrics)

        #expect(metrics.lines == row.lines)
        _ = try ParsedExposition(metrics.text())
    }

    @Test func aHistogramHasItsOwnLabelBesideTheOthers() {
        let metrics = PrometheusMetricsFactory(includesProcess: false)
        let timer = metrics.makeTimer(label: "t", dimensions: [("le", "x"), ("a", "y")])

        timer.recordNanoseconds(10_000_000_000)
        timer.recordNanoseconds(10_000_000_001)

        let lines = metrics.lines
        #expect(lines.count == 1 + 17 + 2)
        #expect(lines[16] == #"t_seconds_bucket{a="y",exported_le="x",le="10"} 1"#)
        #expect(lines[17] == #"t_seconds_bucket{a="y",exported_le="x",le="+Inf"} 2"#)
        #expect(lines[18].hasPrefix(#"t_seconds_sum{a="y",exported_le="x"} 20.0"#))
        #expect(lines[19] == #"t_seconds_count{a="y",exported_le="x"} 2"#)
    }

    @Test func timersAreWrittenInSeconds() throws {
        let metrics = PrometheusMetricsFactory(includesProcess: false)
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
        #expect(text.values.count == 17 + 2)
    }

    @Test func equalDimensionsInAnyOrderAreOneSeries() {
        let metrics = PrometheusMetricsFactory(includesProcess: false)

        let one = metrics.makeCounter(label: "c", dimensions: [("a", "1"), ("b", "2")])
        let same = metrics.makeCounter(label: "c", dimensions: [("b", "2"), ("a", "1")])
        let other = metrics.makeCounter(label: "c", dimensions: [("a", "1")])

        #expect(one === same)
        #expect(one !== other)
    }

    @Test func aDestroyedMetricIsForgotten() {
        let metrics = PrometheusMetricsFactory(includesProcess: false)
        let counter = metrics.makeCounter(label: "a", dimensions: [("x", "1")])
        metrics.makeCounter(label: "a", dimensions: [("x", "2")]).increment(by: 1)
        let gauge = metrics.gauge("b")
        let timer = metrics.makeTimer(label: "c", dimensions: [])
        #expect(metrics.lines.filter { $0.hasPrefix("# TYPE") }.count == 3)

        metrics.destroyCounter(counter)
        metrics.destroyRecorder(gauge)
        metrics.destroyTimer(timer)

        #expect(metrics.lines == ["# TYPE a_total counter", #"a_total{x="2"} 1"#])
        // The name is free again, even for another type.
        metrics.gauge("c_seconds").record(4.5)
        #expect(metrics.lines.suffix(2) == ["# TYPE c_seconds gauge", "c_seconds 4.5"])
    }

    @Test func aNewSeriesStaysWhenTheOldHandlerIsDestroyedAgain() {
        let metrics = PrometheusMetricsFactory(includesProcess: false)
        let old = metrics.makeCounter(label: "c", dimensions: [])
        metrics.destroyCounter(old)
        metrics.makeCounter(label: "c", dimensions: []).increment(by: 7)

        metrics.destroyCounter(old)
        metrics.destroyCounter(NOOPMetricsHandler.instance)

        #expect(metrics.lines == ["# TYPE c_total counter", "c_total 7"])
    }

    @Test func aMetricWhoseFamilyHasAnotherTypeIsLeftOut() {
        let metrics = PrometheusMetricsFactory(includesProcess: false)
        metrics.makeTimer(label: "size", dimensions: []).recordNanoseconds(1)
        let before = metrics.lines

        metrics.gauge("size_seconds").record(9 as Int64)

        #expect(metrics.lines == before)
    }

    @Test func theProcessIsWritten() throws {
        let text = try ParsedExposition(PrometheusMetricsFactory().text())

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
