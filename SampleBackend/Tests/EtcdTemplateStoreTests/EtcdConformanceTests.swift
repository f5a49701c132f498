import EtcdTemplateStore
import EtcdTestSupport
import SeededRandomness
import TemplateStoreTesting
import Testing

/// A member shared by all tests that need no other.
enum SharedMember {
    static let cluster = Task { try await EtcdCluster() }
}

@Suite("The rules of every store, with etcd", .timeLimit(.minutes(Rounds.minutes)))
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
