import TemporaryFolders
import Testing

@testable import SampleBackend

/// The memory of the machine or the container.
@Suite struct MachineMemoryTests {
    @Test(
        arguments: [
            (0, 32), (512 << 20, 32), (1 << 30, 32), (2 << 30, 64), (23 << 30, 256),
            (UInt64.max, 256),
        ] as [(UInt64, Int)])
    func theCacheHasAThirtySecondOfTheMemoryWithinBounds(bytes: UInt64, megabytes: Int) {
        #expect(MachineMemory(bytes: bytes).cacheMegabytes == megabytes)
    }

    @Test(
        arguments: [
            ("2147483648\n", 2 << 30), ("max\n", 8 << 30), ("17179869184\n", 8 << 30),
            ("", 8 << 30),
        ] as [(String, UInt64)])
    func theLimitOfAContainerCounts(text: String, bytes: UInt64) throws {
        let folder = try TemporaryFolder()
        let limits = [folder.path("missing"), try folder.write(text, to: "memory.max")]
        let memory = MachineMemory.current(machine: 8 << 30, limits: limits)
        #expect(memory.bytes == bytes)
    }

    @Test func theLimitsOfAllControlGroupsCount() {
        #expect(
            MachineMemory.limitFiles(ofControlGroups: "0::/system.slice/a.service\n") == [
                "/sys/fs/cgroup/memory.max",
                "/sys/fs/cgroup/system.slice/a.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
            ])
        #expect(
            MachineMemory.limitFiles(ofControlGroups: "8:pids:/x\n4:cpu,memory:/a\n0::/\n") == [
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max",
            ])
        #expect(MachineMemory.limitFiles(ofControlGroups: "") == [])
    }

    @Test func thisMachineHasMemory() {
        #expect((32...256).contains(MachineMemory.current().cacheMegabytes))
    }
}
