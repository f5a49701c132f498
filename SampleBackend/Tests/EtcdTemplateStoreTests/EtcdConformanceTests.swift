import EtcdTemplateStore
import EtcdTestSupport
import SeededRandomness
import TemplateStoreTesting
import Testing

/// One member for all tests that need no other.
enum SharedMember {
    static let cluster = Task { try await EtcdCluster() }
}

@Suite("The rules of every store, by etcd", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdConformanceTests {
    @Test(arguments: TemplateStoreConformance.allChecks)
    func etcdTemplateStorePasses(_ check: TemplateStoreConformance.Check) async throws {
        let suite = TemplateStoreConformance {
            let location = try await SharedMember.cluster.value.location()
            return StoreFactory(
                make: { try await EtcdTemplateStore(location) },
                reopen: { try await EtcdTemplateStore(location) })
        }
        try await suite.run(check)
    }
}
