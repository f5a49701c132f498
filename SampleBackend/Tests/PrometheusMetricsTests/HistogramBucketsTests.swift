import CoreMetrics
import PrometheusMetrics
import Testing

struct HistogramBucketsTests {
    /// Bounds that are refused, and a part of the sentence that says why.
    struct Row: Sendable, CustomTestStringConvertible {
        /// What the row is about.
        let testDescription: String

        /// The bounds.
        let bounds: [Double]

        /// A part of the sentence.
        let sentence: String
    }

    @Test(arguments: [
        Row(testDescription: "equal", bounds: [1, 2, 2], sentence: "index 2 is 2.0, which is not"),
        Row(testDescription: "descending", bounds: [1, 0.5], sentence: "not greater than 1.0"),
        Row(testDescription: "infinite", bounds: [1, .infinity], sentence: "index 1 is inf"),
        Row(testDescription: "not a number", bounds: [.nan], sentence: "index 0 is nan"),
        Row(
            testDescription: "too many", bounds: (0...200).map(Double.init),
            sentence: "There are 201 bounds of buckets: give at most 200."),
    ])
    func refusesBoundsThatAreNot(_ row: Row) throws {
        let error = try #require(throws: HistogramBucketsError.self) {
            try HistogramBuckets(row.bounds)
        }
        #expect(error.description.contains(row.sentence))
    }

    @Test(arguments: [HistogramBuckets.durations, .quantities])
    func hasDefaultsThatAreRight(_ buckets: HistogramBuckets) throws {
        #expect(try HistogramBuckets(buckets.upperBounds) == buckets)
    }

    @Test func takesNoBoundsAtAll() throws {
        let metrics = PrometheusMetricsFactory(
            configuration: .make(buckets: ["size": try HistogramBuckets([])]))
        metrics.makeRecorder(label: "size", dimensions: [], aggregate: true).record(4 as Int64)
        #expect(
            metrics.lines == [
                "# TYPE size histogram", #"size_bucket{le="+Inf"} 1"#, "size_sum 4",
                "size_count 1",
            ])
    }
}
