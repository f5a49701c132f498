internal import ActiveConfig

struct StoreConformanceRun<Place: Sendable>: Sendable {
    let suite: StoreConformance<Place>
    /// True when the store implements `ownConfiguration(forUserID:)`.
    let hasOwn: Bool
    /// True when the store implements `firstDownloadFinished`.
    let hasFirstDownloadFinished: Bool
    /// True when the store implements `record(_:)` and `updateRecord(_:_:)`.
    let hasRecords: Bool

    func makeStore() async throws -> any ActiveConfigStore {
        try await suite.open(suite.newPlace())
    }

    /// Each section has its owner and the same number, so that a torn configuration is detected.
    static func configuration(
        of owner: String, number: Int = 0, entityTag: String? = nil
    ) -> ConfigurationState {
        let settings: ActiveConfigSection = [
            "owner": .string(owner), "number": .integer(number),
            "text": .string(String(repeating: "\(number % 10)", count: 400)),
        ]
        return .make(
            meta: ["format_version_string": "1.0", "number": .integer(number)],
            sections: ["A": settings, "B": settings, "C": settings], entityTag: entityTag)
    }

    /// Checks that every user ID is a distinct user.
    func checkUsers(_ checks: inout ConformanceChecks) async {
        let rule = "Each user ID, any string or nil, is a distinct user, compared byte by byte."
        await checks.group(rule) { checks in
            let store = try await makeStore()
            let owners = ConformanceSamples.userIDs.enumerated().map {
                (id: $1, owner: "user \($0)")
            }
            for (id, owner) in owners {
                try store.persistConfiguration(Self.configuration(of: owner), forUserID: id)
            }
            for (id, owner) in owners {
                let found = store.lastKnownActiveConfiguration(forUserID: id)
                checks.expect(
                    found == Self.configuration(of: owner), rule,
                    found: "\(ConformanceSamples.describe(id)) has the configuration of "
                        + "\(Self.owner(of: found)) and not that of \(owner).")
                guard hasOwn else { continue }
                let own = store.ownConfiguration(forUserID: id)
                checks.expect(
                    own == Self.configuration(of: owner),
                    "A user's own configuration is the one that was persisted last for that user.",
                    found: "\(ConformanceSamples.describe(id)) has \(Self.owner(of: own)).")
            }
            // The generic user last, as the others fall back to it.
            for (id, owner) in owners.reversed() where id != nil {
                try store.persistConfiguration(nil, forUserID: id)
                let found = store.lastKnownActiveConfiguration(forUserID: id)
                checks.expect(
                    found == Self.configuration(of: "user 0"),
                    "Persisting nil removes a user's configuration.",
                    found: "\(ConformanceSamples.describe(id)), \(owner), still has "
                        + "\(Self.owner(of: found)).")
            }
            try store.persistConfiguration(nil, forUserID: nil)
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: nil) == nil,
                "Persisting nil removes the generic user's configuration too.",
                found: "it is still there.")
        }
    }

    static func owner(of configuration: ConfigurationState?) -> String {
        guard let configuration else { return "nobody" }
        return configuration.section(named: "A")?.string(forKey: "owner") ?? "somebody unknown"
    }

    /// Checks that a persisted configuration comes back unchanged.
    func checkContent(_ checks: inout ConformanceChecks) async {
        for (name, configuration) in ConformanceSamples.configurations {
            let rule = "A configuration comes back equal, \(name) too."
            await checks.group(rule) { checks in
                let store = try await makeStore()
                try store.persistConfiguration(configuration, forUserID: "1")
                let found = store.lastKnownActiveConfiguration(forUserID: "1")
                checks.expect(
                    found == configuration && found?.jsonData() == configuration.jsonData(), rule,
                    found: found.map { String(decoding: $0.jsonData(), as: UTF8.self) } ?? "nil")
            }
        }
        await checks.group("The last configuration that was persisted counts.") { checks in
            let store = try await makeStore()
            let first = Self.configuration(of: "1", number: 1)
            var second = first
            second.meta["note"] = "new"
            for configuration in [first, second] {
                try store.persistConfiguration(configuration, forUserID: "1")
            }
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: "1") == second,
                "A configuration that differs in `meta` alone replaces the one before.",
                found: "the one before.")
        }
        await checkLaterVersions(&checks)
        await checkEntityTag(&checks)
    }

    /// Checks that a configuration is not stored over a later one.
    private func checkLaterVersions(_ checks: inout ConformanceChecks) async {
        guard hasOwn else { return }
        let rule = "A configuration that is stored unless a later one is leaves that one."
        await checks.group(rule) { checks in
            let store = try await makeStore()
            // Each with the version stored afterwards.
            for (version, last) in [(2, 2), (1, 2), (2, 2), (nil, nil), (1, 1), (3, 3)] {
                var configuration = Self.configuration(of: "1")
                configuration.meta["template_version"] = version.map { .integer($0) }
                let isStored = try store.persistConfiguration(configuration, forUserID: "1") {
                    $0 > version ?? .max
                }
                let found = store.ownConfiguration(forUserID: "1")?.templateVersion
                let versions = [version, found].map { $0.map(String.init) ?? "none" }
                checks.expect(
                    found == last && isStored == (version == last), rule,
                    found: "version \(versions[1]) after version \(versions[0]).")
            }
        }
    }

    /// Checks that the entity tag is stored with the document.
    private func checkEntityTag(_ checks: inout ConformanceChecks) async {
        guard hasOwn else { return }
        let rule = "The entity tag is kept beside the document, and comes back as it was."
        await checks.group(rule) { checks in
            let store = try await makeStore()
            for tag in ["\"a\"", "W/\"b\"", "\"\u{E9}\\\"", "", nil] {
                try store.persistConfiguration(
                    Self.configuration(of: "1", entityTag: tag), forUserID: "1")
                let found = store.ownConfiguration(forUserID: "1")
                checks.expect(
                    found?.entityTag == tag && found != nil, rule,
                    found: "\(found?.entityTag ?? "none") where \(tag ?? "none") was persisted.")
                let head = store.ownEntityTag(forUserID: "1")
                checks.expect(
                    head == nil || head == tag,
                    "The entity tag that a store gives alone is that of the configuration, or nil.",
                    found: "\(head ?? "none") where \(tag ?? "none") was persisted.")
                checks.expect(
                    store.ownEntityTag(forUserID: "2") == nil,
                    "A user without a configuration has no entity tag.",
                    found: store.ownEntityTag(forUserID: "2") ?? "none")
            }
        }
    }
}
