import Testing

@testable import PrometheusMetrics

struct ProcessStatisticsTests {
    /// The line of a process whose name imitates the fields that follow it.
    static let stat =
        "4242 (a) R 1 (b) S 1 4242 4242 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 1000 "
        + "123456789 2048 18446744073709551615 1 1\n"

    @Test func theFieldsAfterTheNameAreRead() {
        let statistics = ProcessStatistics(
            stat: Self.stat, systemStat: "cpu  1 2\nbtime 1700000000\nprocesses 7\n",
            limits: "Limit  Soft  Hard\nMax open files            1024   4096   files\n",
            openFiles: 12, ticksPerSecond: 100, pageBytes: 4_096)

        #expect(statistics.processorSeconds == 3)
        #expect(statistics.startTime == 1_700_000_010)
        #expect(statistics.residentBytes == 8_388_608)
        #expect(statistics.openFiles == 12)
        #expect(statistics.maximumFiles == 1_024)
    }

    @Test(arguments: [
        "", "4242 (a", "4242 (a) S 1", "4242 (a) " + String(repeating: "x ", count: 50),
    ])
    func unreadableValuesAreLeftOut(_ stat: String) {
        let statistics = ProcessStatistics(
            stat: stat, systemStat: nil, limits: "Max open files unlimited unlimited files",
            openFiles: nil, ticksPerSecond: 100, pageBytes: 4_096)

        #expect(statistics.families.map(\.name) == [])
    }
}
