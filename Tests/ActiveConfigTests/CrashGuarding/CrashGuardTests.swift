import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct CrashGuardTests {
    private static let bootstrap = BootstrapConfiguration.state(GuardedLaunch.document(0))

    /// Files of an app that proved version 1 healthy and then downloaded version 2.
    private static func filesWithTwoVersions() async throws -> ModelFileSystem {
        let system = ModelFileSystem()
        let first = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(1))))
        try await first.config.downloadNewConfig()
        first.live()
        let second = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(2))))
        try await second.config.downloadNewConfig()
        #expect(second.version == 2)
        return system
    }

    @Test func theLastGoodDocumentReplacesOneThatKillsTheApp() async throws {
        let system = try await Self.filesWithTwoVersions()
        // It crashed in the launch that downloaded it, and crashes twice more.
        for _ in 0..<2 {
            let launch = GuardedLaunch(system)
            #expect(launch.version == 2)
            #expect(launch.crashGuard.verdict == nil)
        }
        let launch = GuardedLaunch(system, bootstrap: Self.bootstrap)
        #expect(launch.version == 1)
        let verdict = try #require(launch.crashGuard.verdict)
        #expect(verdict.userID == "1")
        #expect(verdict.templateVersion == 2)
        #expect(verdict.entityTag == "\"2\"")
        #expect(verdict.crashCount == 3)
        #expect(verdict.replacement == .previous)
        #expect(verdict.keptTemplateVersion == 1)
        #expect(launch.log.messages.contains { $0.text.contains("has died 3 times") })
        launch.live()
        let next = GuardedLaunch(system)
        #expect(next.version == 1)
        #expect(next.crashGuard.verdict == nil, "decided once")
    }

    /// The tag does not depend on the version: a later version of the refused document is the same
    /// document.
    @Test func aRefusedDocumentStaysRefusedInLaterVersions() async throws {
        let system = try await Self.filesWithTwoVersions()
        for _ in 0..<2 { #expect(GuardedLaunch(system).version == 2) }
        var third = GuardedLaunch.document(2)
        third.meta["template_version"] = 3
        var confirmation = GuardedLaunch.document(1)
        confirmation.entityTag = third.entityTag
        confirmation.confirmedVersion = 4
        let launch = GuardedLaunch(
            system,
            downloader: ScriptedDownloader(
                .configuration(third), .configuration(confirmation),
                .configuration(GuardedLaunch.document(5))))
        #expect(launch.version == 1)
        for _ in 1...2 {
            #expect(try await launch.config.downloadNewConfig().outcome == .notModified)
            #expect(launch.version == 1)
            // The confirmation is for the refused document, not for the active one.
            #expect(launch.config.currentConfiguration.templateVersion == 1)
        }
        #expect(
            launch.downloader.requests.map(\.lastKnown?.entityTag)
                == [third.entityTag, third.entityTag])
        try await launch.config.downloadNewConfig()
        #expect(launch.version == 5)
    }

    /// A version that is taken over does not make another document, which would have to prove
    /// healthy first.
    @Test func aLaterVersionOfAGoodDocumentIsGood() async throws {
        let system = ModelFileSystem()
        var confirmation = GuardedLaunch.document(1)
        confirmation.confirmedVersion = 2
        let launch = GuardedLaunch(
            system,
            downloader: ScriptedDownloader(
                .configuration(GuardedLaunch.document(1)), .configuration(confirmation)))
        try await launch.config.downloadNewConfig()
        launch.live()
        #expect(launch.crashGuard.isProved)
        try await launch.config.downloadNewConfig()
        #expect(launch.config.currentConfiguration.templateVersion == 2)
        #expect(launch.crashGuard.isProved)
    }

    @Test func theVerdictIsPostedOnce() async throws {
        let system = try await Self.filesWithTwoVersions()
        for _ in 0..<2 { #expect(GuardedLaunch(system).version == 2) }
        let launch = GuardedLaunch(system, userID: nil)
        let verdicts = Locked<[CrashGuardVerdict]>([])
        let token = launch.center.addObserver(
            forName: CrashGuard.verdictNotification, object: nil, queue: nil
        ) { note in
            let verdict = note.userInfo?[CrashGuard.verdictKey]
            guard let verdict = verdict as? CrashGuardVerdict else { return }
            verdicts.withLock { $0.append(verdict) }
        }
        defer { launch.center.removeObserver(token) }
        for _ in 0..<3 {
            launch.config.currentUserID = "1"
            launch.config.currentUserID = nil
        }
        launch.queue.sync {}
        #expect(verdicts.withLock { $0.map(\.templateVersion) } == [2])
    }

    @Test func aRefusedPendingDocumentDoesNotBecomeActive() async throws {
        let system = try await Self.filesWithTwoVersions()
        for _ in 0..<2 { #expect(GuardedLaunch(system).version == 2) }
        #expect(GuardedLaunch(system).version == 1)
        // As after a crash before a document that a launch activated was stored.
        let store = FileDefaultsStore(directory: GuardedLaunch.folder, system: system)
        try store.persistPendingConfiguration(GuardedLaunch.document(2), forUserID: "1")
        for policy in [ActivationPolicy.immediate, .nextLaunch, .manual] {
            let launch = GuardedLaunch(system, activation: policy)
            #expect(launch.version == 1)
            await launch.config.activate()
            #expect(launch.version == 1)
            launch.live()
        }
    }

    /// Sections that become active before the rest of their document.
    @Test func aSectionThatDoesNotWaitCanKillTheApp() async throws {
        let system = ModelFileSystem()
        let store = FileDefaultsStore(directory: GuardedLaunch.folder, system: system)
        try store.persistConfiguration(GuardedLaunch.document(1), forUserID: "1")
        var second = GuardedLaunch.document(2)
        second.sections["Waiting"] = ActiveConfigSection(settings: ["isOn": true])
        let policy = ActivationPolicy.manual(except: ["Home"])
        // It also crashes in the launch that downloads it.
        let first = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(second)), activation: policy)
        try await first.config.downloadNewConfig()
        #expect(first.version == 2)
        for _ in 0..<2 { #expect(GuardedLaunch(system, activation: policy).version == 2) }
        let launch = GuardedLaunch(
            system,
            downloader: ScriptedDownloader(
                .configuration(second), .configuration(GuardedLaunch.document(3))),
            activation: policy)
        #expect(launch.version == 1)
        #expect(launch.config.snapshot.pending?.document == nil)
        let verdict = try #require(launch.crashGuard.verdict)
        #expect(verdict.templateVersion == 2)
        #expect(verdict.replacement == .previous)
        #expect(verdict.keptTemplateVersion == 1)
        try await launch.config.downloadNewConfig()
        #expect(launch.version == 1)
        try await launch.config.downloadNewConfig()
        #expect(launch.version == 3)
    }

    private static func inTwoSections(_ version: Int) -> ConfigurationState {
        var document = GuardedLaunch.document(version)
        document.sections["Waiting"] = ActiveConfigSection(settings: ["n": .integer(version)])
        return document
    }

    /// Some of its sections become active first and prove healthy, then all of them.
    @Test func aDocumentThatFirstProvedGoodInPartIsKept() async throws {
        let system = ModelFileSystem()
        let policy = ActivationPolicy.manual(except: ["Home"])
        let first = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(Self.inTwoSections(2))),
            activation: policy)
        try await first.config.downloadNewConfig()
        first.live()
        await first.config.activate()
        first.live()
        let second = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(Self.inTwoSections(3))),
            activation: policy)
        try await second.config.fetchAndActivate()
        for _ in 0..<2 { #expect(GuardedLaunch(system, activation: policy).version == 3) }
        let launch = GuardedLaunch(system, activation: policy)
        #expect(launch.version == 2)
        #expect(launch.crashGuard.verdict?.replacement == .previous)
    }

    @Test func aDeathByTheSectionsThatWereActivatedLaterCounts() async throws {
        let system = ModelFileSystem()
        let policy = ActivationPolicy.manual(except: ["Home"])
        let first = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(Self.inTwoSections(1))),
            activation: policy)
        try await first.config.fetchAndActivate()
        first.live()
        let second = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(Self.inTwoSections(2))),
            activation: policy)
        try await second.config.downloadNewConfig()
        second.live()
        await second.config.activate()
        for _ in 0..<2 { #expect(GuardedLaunch(system, activation: policy).version == 2) }
        #expect(GuardedLaunch(system, activation: policy).version == 1)
    }

    @Test func aWindowMayBeOfAnyLength() async throws {
        var options = ActiveConfigOptions()
        options.vetting.append(CrashGuard(window: .seconds(Int64.max)))
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(1))),
            store: InMemoryStore(), options: options)
        try await config.downloadNewConfig()
        #expect(config["Home"]?.integer(forKey: "version") == 1)
    }

    @Test func withoutAGoodDocumentTheBootstrapIsUsed() async throws {
        let system = ModelFileSystem()
        let first = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(2))))
        try await first.config.downloadNewConfig()
        for _ in 0..<2 { #expect(GuardedLaunch(system, bootstrap: Self.bootstrap).version == 2) }
        for _ in 0..<5 {
            let launch = GuardedLaunch(system, bootstrap: Self.bootstrap)
            #expect(launch.version == 0)
        }
        #expect(GuardedLaunch(system).version == nil)
    }

    @Test func aGoodDocumentThatKillsTheAppLaterIsReplacedByTheBootstrap() async throws {
        let system = ModelFileSystem()
        let first = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(1))))
        try await first.config.downloadNewConfig()
        first.live()
        for _ in 0..<3 { #expect(GuardedLaunch(system, bootstrap: Self.bootstrap).version == 1) }
        let launch = GuardedLaunch(system, bootstrap: Self.bootstrap)
        #expect(launch.version == 0)
        #expect(launch.crashGuard.verdict?.replacement == .fallback)
        #expect(launch.crashGuard.verdict?.keptTemplateVersion == nil)
    }

    @Test func aRefusedDocumentIsNotTakenAgainButTheNextOneIs() async throws {
        let system = try await Self.filesWithTwoVersions()
        for _ in 0..<2 { #expect(GuardedLaunch(system).version == 2) }
        let downloader = ScriptedDownloader(
            .unchanged, .configuration(GuardedLaunch.document(2)),
            .configuration(GuardedLaunch.document(3)))
        let launch = GuardedLaunch(system, downloader: downloader)
        for _ in 0..<2 {
            let result = try await launch.config.downloadNewConfig()
            #expect(result.changedSectionNames == [])
            #expect(launch.version == 1)
        }
        // The server is asked whether it has a document other than the refused one.
        #expect(downloader.requests.map(\.lastKnown?.entityTag) == ["\"2\"", "\"2\""])
        let known = downloader.requests[0].lastKnown
        #expect(known?.sections["Home"]?.integer(forKey: "version") == 1)
        try await launch.config.downloadNewConfig()
        #expect(launch.version == 3)
        launch.live()
        #expect(GuardedLaunch(system).version == 3)
    }

    @Test func theEndOfTheWindowMakesADocumentGood() async throws {
        let system = try await Self.filesWithTwoVersions()
        do {
            let launch = GuardedLaunch(system)
            #expect(launch.version == 2)
            try await launch.clock.waitForSleepers()
            launch.clock.advance(by: .seconds(9))
            #expect(launch.clock.deadlines == [launch.clock.now.advanced(by: .seconds(1))])
            #expect(!launch.crashGuard.isProved)
        }
        let living = GuardedLaunch(system)
        try await living.clock.waitForSleepers()
        living.clock.advance(by: .seconds(10))
        await living.crashGuard.waitForWindow()
        living.crashGuard.drain()
        #expect(living.crashGuard.isProved)
        for _ in 0..<3 { #expect(GuardedLaunch(system).version == 2, "the count restarts at 0") }
        #expect(GuardedLaunch(system).version == nil, "the good document is this one")
    }

    @Test func anEndOnPurposeIsNoCrash() async throws {
        let system = try await Self.filesWithTwoVersions()
        for turn in 0..<10 {
            let launch = GuardedLaunch(system)
            #expect(launch.version == 2)
            if turn.isMultiple(of: 2) {
                launch.crashGuard.didEnterBackground()
            } else {
                launch.crashGuard.willTerminate()
            }
        }
        // In the foreground again, crashes count again.
        for _ in 0..<2 {
            let launch = GuardedLaunch(system)
            #expect(launch.version == 2)
            launch.crashGuard.didEnterBackground()
            launch.crashGuard.willEnterForeground()
            launch.crashGuard.drain()
        }
        #expect(GuardedLaunch(system).version == 1)
    }

    @Test func theEndOfAnAppExtensionIsNoCrash() async throws {
        let system = try await Self.filesWithTwoVersions()
        let bundle = URL(filePath: "/app/PlugIns/Share.appex/")
        for _ in 0..<10 { #expect(GuardedLaunch(system, bundle: bundle).version == 2) }
        // One that is in the foreground may say so.
        for _ in 0..<2 {
            let launch = GuardedLaunch(system, bundle: bundle)
            #expect(launch.version == 2)
            launch.crashGuard.willEnterForeground()
            launch.crashGuard.drain()
        }
        #expect(GuardedLaunch(system).version == 1)
    }

    @Test func aDamagedCountIsNoCrashOfItsOwn() async throws {
        let system = try await Self.filesWithTwoVersions()
        let store = FileDefaultsStore(directory: GuardedLaunch.folder, system: system)
        for count in [Int.max, .min] {
            try store.updateClientState(named: "crash-guard") { data in
                guard let data,
                    var record = try? JSONDecoder().decode(LaunchRecord.self, from: data)
                else { return data }
                record.suspects = record.sessions.map {
                    LaunchRecord.Count(document: $0.document, crashCount: count)
                }
                #expect(!record.suspects.isEmpty)
                return try? JSONEncoder().encode(record)
            }
            let launch = GuardedLaunch(system)
            #expect(launch.version == (count == .max ? 1 : 2))
            try store.updateClientState(named: "crash-guard") { _ in nil }
            #expect(GuardedLaunch(system).version == 2)
        }
    }

    @Test func aProcessThatRunsIsNoCrash() async throws {
        let system = try await Self.filesWithTwoVersions()
        // The first process of the machine shares the folder; it runs and does not end.
        let other = GuardedLaunch(system, number: 1)
        #expect(other.version == 2)
        for _ in 0..<10 {
            let launch = GuardedLaunch(system)
            #expect(launch.version == 2)
            launch.crashGuard.willTerminate()
        }
    }

    @Test func theEndOfTheMachineOrOfAnotherOneIsNoCrash() {
        let current = ProcessIdentity.current
        func identity(
            number: Int32 = getpid(), host: String? = nil, boot: String? = nil
        ) -> ProcessIdentity {
            ProcessIdentity(
                token: "other", number: number, host: host ?? current.host,
                boot: boot ?? current.boot, start: nil)
        }
        #expect(current.end(asSeenBy: current) == nil)
        #expect(identity().end(asSeenBy: current) == .crashed)
        #expect(identity(host: "another").end(asSeenBy: current) == nil)
        #expect(identity(number: 1).end(asSeenBy: current) == nil)
        #expect(identity(number: .max - 7).end(asSeenBy: current) == .crashed)
        #if os(Linux)
            #expect(identity(boot: "another").end(asSeenBy: current) == .withMachine)
            let reused = ProcessIdentity(
                token: "other", number: 1, host: current.host, boot: current.boot, start: "-1")
            #expect(reused.end(asSeenBy: current) == .crashed)
        #endif
        #expect(!ProcessIdentity.isDebugged)
    }

    @Test func onlyTheOwnerOfADocumentIsCounted() async throws {
        let system = try await Self.filesWithTwoVersions()
        let generic = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(7))),
            userID: nil)
        try await generic.config.downloadNewConfig()
        generic.live()
        for _ in 0..<3 { #expect(GuardedLaunch(system, userID: "2").version == 7) }
        // User 2 used the generic user's document, which is refused for both.
        #expect(GuardedLaunch(system, userID: nil).version == nil)
        #expect(GuardedLaunch(system).version == 2)
    }

    @Test func forgettingAUserRemovesTheCopyOfItsGoodDocument() async throws {
        let system = try await Self.filesWithTwoVersions()
        func copies() -> [String] {
            system.names(in: "/app/store").filter { $0.hasPrefix("state-good") }
        }
        #expect(copies().count == 1)
        let launch = GuardedLaunch(system)
        try await launch.config.forgetUser("1")
        #expect(copies() == [])
        for _ in 0..<4 { #expect(GuardedLaunch(system).version == nil) }
    }

    @Test func forgettingAUserRemovesTheVerdict() throws {
        let store = InMemoryStore()
        try Self.storeBad([("1", 2), ("2", 3)], in: store)
        let crashGuard = CrashGuard()
        var options = ActiveConfigOptions()
        options.vetting.append(crashGuard)
        let config = ActiveConfig.make(store: store, options: options)
        for userID in ["1", "2"] { config.currentUserID = userID }
        #expect(config.refusedVersions == [2, 3])
        try config.forgetUser("2")
        #expect(crashGuard.verdict?.userID == "1")
        #expect(config.refusedVersions == [2])
        let documents = [2, 3].map {
            LaunchRecord.Document(GuardedLaunch.document($0), of: UserID("\($0 - 1)"))
        }
        #expect(documents.map { crashGuard.newRefusal(of: $0) != nil } == [true, false])
    }

    @Test func theDigestOfARefusedDocumentIsWrittenOnce() throws {
        let store = FailingStore([])
        try Self.storeBad([("1", 2)], in: store.base)
        let crashGuard = CrashGuard()
        var options = ActiveConfigOptions()
        options.vetting.append(crashGuard)
        let config = ActiveConfig.make(store: store, options: options)
        defer { withExtendedLifetime(config) {} }
        let refusal = try #require(
            crashGuard.refusal(of: GuardedLaunch.document(2), userID: UserID("1")))
        let before = store.updateCount
        for _ in 0..<3 { crashGuard.noteDigest("digest", ofRefused: refusal.document) }
        #expect(store.updateCount == before + 1)
        #expect(crashGuard.lastRefused(of: UserID("1"))?.contentDigest == "digest")
    }

    @Test func aStoreWithoutRecordsHasNoGuardAndSaysSo() {
        let crashGuard = CrashGuard()
        var options = ActiveConfigOptions()
        options.vetting.append(crashGuard)
        let log = RecordingLog()
        let config = ActiveConfig.make(store: ObservedStore(), options: options, log: log.log)
        _ = config.currentConfiguration
        #expect(crashGuard.verdict == nil)
        #expect(log.messages.contains { $0.text.contains("keeps no records") })
    }

    /// Kills the process before each file system call that a step makes.
    @Test func aKillAtAnyStepOfTheGuardLosesNothing() async throws {
        let start = try await Self.filesWithTwoVersions()
        for _ in 0..<2 { #expect(GuardedLaunch(start).version == 2) }
        // The verdict, and the session that starts with it.
        var number = 0
        while true {
            let system = start.reopened(.init(ending: number))
            let isWhole: Bool
            do {
                // The result of this read does not matter: the process has been killed by then.
                let launch = GuardedLaunch(system, bootstrap: Self.bootstrap)
                let version = launch.version
                isWhole = system.calls.count <= number
                if isWhole { #expect(version == 1) }
            }
            let next = GuardedLaunch(system.reopened(), bootstrap: Self.bootstrap)
            #expect(next.version == 1, "killed before \(number)")
            if isWhole { break }
            number += 1
        }
        #expect(number > 10)
        // The copy of a good document, and the record that it is good.
        let fresh = ModelFileSystem()
        let first = GuardedLaunch(
            fresh, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(1))))
        try await first.config.downloadNewConfig()
        number = 0
        while true {
            let system = fresh.reopened()
            let launch = GuardedLaunch(system)
            #expect(launch.version == 1)
            let before = system.calls.count
            system.endCalls(at: before + number)
            launch.live()
            let isWhole = system.calls.count <= before + number
            let after = system.reopened()
            #expect(GuardedLaunch(after).version == 1, "killed before \(number)")
            // If there is a copy, it is whole and belongs to this user.
            let copy = GuardedLaunch(after).crashGuard.goodConfiguration(of: UserID("1"))
            #expect(copy == nil || copy == GuardedLaunch.document(1))
            if isWhole {
                #expect(copy != nil)
                break
            }
            number += 1
        }
        #expect(number > 10)
    }

    /// Stores documents with which the app has crashed three times.
    private static func storeBad(
        _ documents: [(userID: String?, version: Int)], in store: InMemoryStore
    ) throws {
        let current = ProcessIdentity.current
        var record = LaunchRecord()
        for (userID, version) in documents {
            let configuration = GuardedLaunch.document(version)
            store.persistConfiguration(configuration, forUserID: userID)
            let document = LaunchRecord.Document(configuration, of: UserID(userID))
            record.suspects.append(LaunchRecord.Count(document: document, crashCount: 2))
            let process = ProcessIdentity(
                token: "\(version)", number: current.number, host: current.host,
                boot: current.boot, start: nil)
            record.sessions.append(LaunchRecord.Session(process: process, document: document))
        }
        let data = try JSONEncoder().encode(record)
        store.updateClientState(named: "crash-guard") { _ in data }
    }

    /// A refused document must not become active because its removal fails.
    @Test func aUserWhoCannotBeForgottenKeepsTheRefusal() throws {
        let store = FailingStore([.removeConfiguration])
        try Self.storeBad([(nil, 2)], in: store.base)
        for _ in 0..<2 {
            var options = ActiveConfigOptions()
            options.vetting.append(CrashGuard())
            let config = ActiveConfig.make(store: store, options: options)
            #expect(config["Home"] == nil)
            #expect(throws: FailingStore.Failure.self) { try config.forgetGenericUser() }
            #expect(config["Home"] == nil)
        }
    }

    @Test func aUserWhomTheRecordStillNamesIsNotForgotten() throws {
        let store = FailingStore([])
        try Self.storeBad([("person-1", 2)], in: store.base)
        let crashGuard = CrashGuard()
        var options = ActiveConfigOptions()
        options.vetting.append(crashGuard)
        let config = ActiveConfig.make(store: store, options: options)
        config.currentUserID = "person-1"
        #expect(crashGuard.verdict?.userID == "person-1")
        func isNamed() throws -> Bool {
            let data = try #require(store.base.clientState(named: "crash-guard"))
            return String(decoding: data, as: UTF8.self).contains("person-1")
        }
        store.fail([.updateClientState])
        for _ in 1...2 {
            #expect(throws: FailingStore.Failure.self) {
                try crashGuard.forget(userID: "person-1")
            }
            #expect(crashGuard.verdict == nil, "in memory")
            #expect(try isNamed())
        }
        store.fail([])
        try crashGuard.forget(userID: "person-1")
        #expect(try !isNamed())
        withExtendedLifetime(config) {}
    }

    @Test func theVerdictOnEachOfTwoUsersIsPostedOnce() throws {
        let store = InMemoryStore()
        try Self.storeBad([("1", 2), ("2", 3)], in: store)
        let center = NotificationCenter()
        let queue = DispatchQueue(label: "listeners")
        var options = ActiveConfigOptions()
        options.vetting.append(CrashGuard())
        let config = ActiveConfig.make(
            store: store, notificationCenter: center, listenerQueue: queue, options: options)
        let recorder = NotificationRecorder(
            of: config, in: center, also: [CrashGuard.verdictNotification])
        for userID in ["1", "2", "1", "2", "1"] { config.currentUserID = userID }
        queue.sync {}
        let entries = recorder.entries(named: CrashGuard.verdictNotification)
        #expect(entries.map(\.userID) == ["1", "2"])
        #expect(
            entries.map {
                $0.value(forKey: CrashGuard.verdictKey, as: CrashGuardVerdict.self)?
                    .templateVersion
            } == [2, 3])
        #expect(config.refusedVersions == [2, 3])
    }
}
