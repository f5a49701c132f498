/// All targets, in the order of the report.
///
/// Each has its own file in `Targets`.
enum AllTargets {
    static let list: [any BenchmarkTarget.Type] = [
        F1SectionReading.self,
        F2TypedReading.self,
        F3ParallelReading.self,
        F4Parsing.self,
        F5Writing.self,
        F6FirstValue.self,
        F7Differences.self,
        F8Delivery.self,
        F9Persisting.self,
        F10Memory.self,
        F14SwitchingUsers.self,
    ]
}
