import CoreMetrics
import PrometheusMetrics
import Testing

struct SeriesLimitTests {
    @Test func countsWhatIsOverTheLimitInOneSeries() throws {
        let metrics = PrometheusMetricsFactory(configuration: .make(maximumSeries: 3))

        for user in 0..<1_000 {
            metrics.makeCounter(label: "c", dimensions: [("user", "\(user)")]).increment(by: 1)
        }

        #expect(
            metrics.lines == [
                "# TYPE c_total counter", #"c_total{metrics_overflow="true"} 997"#,
                #"c_total{user="0"} 1"#, #"c_total{user="1"} 1"#, #"c_total{user="2"} 1"#,
            ])
        let text = try ParsedExposition(metrics.text())
        #expect(text["metrics_series_overflows_total"] == 997)
        #expect(text["metrics_series"] == 4)
    }

    @Test func givesTheKnownSeriesOverTheLimit() {
        let metrics = PrometheusMetricsFactory(configuration: .make(maximumSeries: 1))
        let known = metrics.makeTimer(label: "t", dimensions: [])

        let over = metrics.makeTimer(label: "t", dimensions: [("a", "1")])

        #expect(over !== known)
        #expect(over === metrics.makeTimer(label: "t", dimensions: [("a", "2")]))
        #expect(known === metrics.makeTimer(label: "t", dimensions: []))
    }

    @Test func leavesOutGaugesAndNewFamiliesOverTheLimit() throws {
        let metrics = PrometheusMetricsFactory(configuration: .make(maximumSeries: 1))
        metrics.makeMeter(label: "m", dimensions: []).set(Int64(1))

        metrics.makeMeter(label: "m", dimensions: [("a", "1")]).set(Int64(2))
        for name in 0..<100 {
            metrics.makeCounter(label: "c\(name)", dimensions: []).increment(by: 1)
        }

        #expect(metrics.lines == ["# TYPE m gauge", "m 1"])
        let text = try ParsedExposition(metrics.text())
        #expect(text["metrics_series_overflows_total"] == 101)
    }

    @Test func hasRoomAgainOnceASeriesIsDestroyed() {
        let metrics = PrometheusMetricsFactory(configuration: .make(maximumSeries: 1))
        let first = metrics.makeCounter(label: "a", dimensions: [])
        metrics.destroyCounter(first)

        metrics.makeCounter(label: "b", dimensions: []).increment(by: 1)

        #expect(metrics.lines == ["# TYPE b_total counter", "b_total 1"])
    }

    @Test func keepsTheOverflowWhenOneOfItsUsersIsDestroyed() {
        let metrics = PrometheusMetricsFactory(configuration: .make(maximumSeries: 1))
        _ = metrics.makeCounter(label: "c", dimensions: [])
        let one = metrics.makeCounter(label: "c", dimensions: [("a", "1")])
        let other = metrics.makeCounter(label: "c", dimensions: [("a", "2")])

        metrics.destroyCounter(one)
        other.increment(by: 2)

        #expect(metrics.lines.contains(#"c_total{metrics_overflow="true"} 2"#))
    }

    @Test func cutsLongLabelValues() {
        var configuration = PrometheusMetricsConfiguration.make()
        configuration.maximumLabelValueLength = 3
        let metrics = PrometheusMetricsFactory(configuration: configuration)

        metrics.makeMeter(label: "m", dimensions: [("v", "éab\"")]).set(Int64(1))

        #expect(metrics.lines == ["# TYPE m gauge", #"m{v="éab"} 1"#])
    }
}
