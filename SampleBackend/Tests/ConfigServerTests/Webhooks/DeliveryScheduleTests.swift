import Foundation
import TemplateStore
import Testing

@testable import ConfigServer
@testable import WebhookDelivery

struct DeliveryScheduleTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let date = Date(timeIntervalSince1970: 784_111_777)

    /// Outcome of an attempt by the default schedule; `status` nil is an attempt without an answer.
    private func outcome(
        _ status: Int?, retryAfter: String? = nil, attempt: Int = 1, part: Double = 1
    ) -> DeliveryAttempt.Outcome {
        DeliverySchedule().outcome(
            of: status.map {
                DeliveryAnswer(statusCode: $0, retryAfter: retryAfter, date: Self.date)
            } ?? DeliveryAnswer(error: "no answer"),
            attempt: attempt, date: Self.date, part: part)
    }

    @Test(arguments: [200, 201, 204, 299]) func aSuccessStatusMeansDelivered(_ status: Int) {
        #expect(outcome(status, attempt: 10) == .delivered)
    }

    @Test(arguments: [nil, 100, 301, 307, 400, 404, 408, 429, 500, 503, 599])
    func aFailedAttemptIsRetried(_ status: Int?) {
        #expect(outcome(status) == .retry(at: Self.date + 5))
    }

    @Test func pausesGrowToSixHoursBeforeTheScheduleGivesUp() {
        let pauses = (1...9).map { outcome(500, attempt: $0) }
        let expected: [TimeInterval] = [
            5, 30, 120, 600, 3_600, 10_800, 21_600, 21_600, 21_600,
        ]
        #expect(pauses == expected.map { .retry(at: Self.date + $0) })
        #expect(outcome(500, attempt: 10) == .failed)
        #expect(outcome(500, attempt: 11) == .failed)
    }

    @Test func theScheduleWaitsTheGivenPartOfThePause() {
        #expect(outcome(500, attempt: 4, part: 0) == .retry(at: Self.date))
        #expect(outcome(500, attempt: 4, part: 0.25) == .retry(at: Self.date + 150))
    }

    @Test func theScheduleGivesUpAtOnceWhenTheReceiverIsGone() {
        #expect(outcome(410) == .failed)
    }

    @Test(arguments: [
        ("60", 60), ("0", 5), ("-7", 5), ("1e9", 21_600), ("nan", 5), ("soon", 5), ("", 5),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:30 GMT", 5),
        ("Sat, 06 Nov 2094 08:49:37 GMT", 21_600),
    ])
    func theReceiverSetsThePauseWithinLimits(_ field: String, _ seconds: TimeInterval) {
        #expect(outcome(503, retryAfter: field) == .retry(at: Self.date + seconds))
    }
}
