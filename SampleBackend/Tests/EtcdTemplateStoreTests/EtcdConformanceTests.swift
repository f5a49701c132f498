import EtcdTemplateStore
import EtcdTestSupport
import TemplateStoreTesting
import Testing

/// One member for all tests that need no other.
enum SharedMember {
    static let cluster = Task { try await EtcdCluster() }
}

// deadline: one check makes 20,000 requests, which take minutes beside other work
@Suite("The rules of every store, by etcd", .timeLimit(.minutes(10)))
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
