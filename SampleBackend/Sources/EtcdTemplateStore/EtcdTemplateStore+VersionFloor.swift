public import TemplateStore

extension EtcdTemplateStore {
    /// Raises the version floor.
    package func raiseVersions(_ raise: VersionRaise) async throws(TemplateStoreError) -> Int {
        try await write(
            reading: [
                EtcdRange(keys: keys.projects), EtcdRange(keys: keys.deleted),
                EtcdRange(keys: .key(keys.floor)),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            let numbers =
                try reading.records(0, as: VersionRecord.self).map(\.number)
                + reading.records(1, as: DeletedProjectRecord.self).map(\.version)
            let (floor, entry) = try raise.applied(
                above: max(numbers.max() ?? 0, try reading.versionFloor(at: 2)), revision: .zero)
            var write = EtcdWrite { _ in floor + 1 }
            write.operations = [.put(keys.floor, try FloorRecord(version: floor).encoded())]
            write.change = .init(subject: .versionFloor, entry: entry)
            return .write(write)
        }
    }

    /// The version floor; 0 until it is raised.
    public func versionFloor() async throws(TemplateStoreError) -> Int {
        try await read([EtcdRange(keys: .key(keys.floor))]).versionFloor(at: 0)
    }
}

extension EtcdReading {
    /// The version floor, whose record is at an index of the reading; 0 until it is raised.
    func versionFloor(at place: Int) throws(TemplateStoreError) -> Int {
        try records(place, as: FloorRecord.self).first?.version ?? 0
    }
}
