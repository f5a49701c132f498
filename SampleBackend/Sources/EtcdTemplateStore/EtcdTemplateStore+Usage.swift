import Foundation
public import TemplateStore

extension EtcdTemplateStore {
    /// Adds a batch to the usage of a project.
    public func recordUsage(
        _ batch: UsageBatch, inProject project: String
    ) async throws(TemplateStoreError) {
        let (key, deleted) = (keys.usage(ofProject: project), keys.deletedProject(project))
        try await write(
            reading: [
                EtcdRange(keys: .key(keys.project(project)), part: .count),
                EtcdRange(keys: .key(deleted)), EtcdRange(keys: .key(key)),
            ]
        ) { reading throws(TemplateStoreError) in
            guard reading.count(0) > 0,
                let usage = reading.usage(at: 2).adding(
                    batch, deletedVersion: try reading.deletedVersion(at: 1))
            else { return .done(()) }
            var write = EtcdWrite<Void> { _ in }
            write.guards = [
                .modified(key, at: reading.keyValues(2).first?.modRevision ?? 0),
                // Fails if the project is deleted between the read and this write.
                .modified(deleted, at: reading.keyValues(1).first?.modRevision ?? 0),
            ]
            write.operations = [.put(key, usage.record)]
            // Written twice, a batch has the same effect as once, so the write needs no witness.
            return .write(write)
        }
    }

    /// The usage of a project.
    public func usage(inProject project: String) async throws(TemplateStoreError) -> ProjectUsage {
        try await read([EtcdRange(keys: .key(keys.usage(ofProject: project)))]).usage(at: 0)
    }
}

extension EtcdReading {
    fileprivate func usage(at place: Int) -> ProjectUsage {
        keyValues(place).first.map { ProjectUsage(record: $0.value) } ?? ProjectUsage()
    }
}
