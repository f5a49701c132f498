import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Testing

@testable import EtcdTemplateStore

/// Announcements of several processes (``ReplicaStoring``).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EtcdReplicasTests {
    /// With a distant etcd, reading one lease after the other would take too long.
    @Test func theLeasesOfAllAreReadTogether() async throws {
        try await withProxy { proxy, location, direct in
            var limits = EtcdGateway.TimeLimits()
            limits.attempt = .seconds(600)
            try await withStore(at: location, limits: limits) { reader in
                try await withStore(at: direct) { one in
                    try await withStore(at: direct) { other in
                        try await withStore(at: direct) { third in
                            for store in [one, other, third] {
                                try await store.announce(Data("1".utf8), as: "a")
                            }
                            proxy.strike(.requestIsHeld, requestsWith: "/v3/lease/timetolive")
                            async let found = reader.announcements()
                            // A request may arrive in two pieces, its head and its body.
                            try await waitUntil { proxy.struck > 2 }
                            proxy.release()
                            #expect(try await found.map(\.isSilent) == [false, false, false])
                        }
                    }
                }
            }
        }
    }
}
