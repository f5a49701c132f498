internal import Foundation

/// Decides which documents may become active: those that every ``ConfigurationVetting`` of the
/// options accepts.
///
/// It also keeps the documents that were refused in this launch, so that updaters do not request
/// them again. No lock is held while a vetting is called.
final class Vettings: Sendable {
    /// Those that need the original come first, as the others rely on them.
    private let all: [any ConfigurationVetting]
    /// Documents that the vettings did not accept in this launch.
    private let refused = Locked(RefusedDocuments())
    /// True when a vetting needs the original of each document.
    let needsOriginal: Bool
    private let users: UserTable
    private let observers: ConfigurationObservers
    private let log: ActiveConfigLog
    private let now: @Sendable () -> Date

    init(
        _ vettings: [any ConfigurationVetting], users: UserTable,
        observers: ConfigurationObservers, log: ActiveConfigLog, now: @escaping @Sendable () -> Date
    ) {
        all = vettings.filter(\.needsOriginal) + vettings.filter { !$0.needsOriginal }
        needsOriginal = all.contains { $0.needsOriginal }
        (self.users, self.observers, self.log, self.now) = (users, observers, log, now)
    }

    var isEmpty: Bool { all.isEmpty }

    func attach(to config: ActiveConfig) {
        for vetting in all { vetting.attach(to: config) }
    }

    func willActivate(_ activation: ConfigurationActivation) {
        for vetting in all { vetting.willActivate(activation) }
    }

    func didActivate(_ activation: ConfigurationActivation, number: Int) {
        for vetting in all { vetting.didActivate(activation, number: number) }
    }

    /// Removes what the vettings and this object keep of a user.
    ///
    /// - Throws: The first error of a vetting; the others have forgotten the user all the same.
    func forget(_ userID: UserID) throws {
        defer { refused.withLock { $0.forget(userID) } }
        let failures = all.compactMap { vetting -> (any Error)? in
            do { try vetting.forget(userID: userID.string) } catch { return error }
            return nil
        }
        if let first = failures.first { throw first }
    }

    /// The verdict of all vettings.
    private indirect enum Verdict {
        case accepted(ConfigurationState, isChanged: Bool)
        case refused(
            ConfigurationCandidate, by: any ConfigurationVetting, ConfigurationRefusal)
        case ignored(
            ConfigurationCandidate, by: any ConfigurationVetting, ConfigurationRefusal,
            using: ConfigurationState?)
    }

    /// Calls the vettings one after the other, until one does not accept the document.
    private func verdict(on candidate: ConfigurationCandidate) -> Verdict {
        var (candidate, isChanged) = (candidate, false)
        // An answer without a document has only header fields to decide on.
        let asked =
            candidate.origin == .confirmed ? all.filter(\.needsOriginal) : all
        for vetting in asked {
            switch vetting.vet(candidate).kind {
            case .accept(var document?):
                isChanged = isChanged || document != candidate.document
                // A changed document is changed again at each read of its bytes.
                document.original = document.original ?? candidate.document.original
                document.entityTag = document.entityTag ?? candidate.document.entityTag
                candidate.document = document
            case .accept(nil): break
            case .refuse(let refusal): return .refused(candidate, by: vetting, refusal)
            case .ignore(let refusal, let replacement):
                return .ignored(candidate, by: vetting, refusal, using: replacement)
            }
        }
        return .accepted(candidate.document, isChanged: isChanged)
    }

    private func verdict(onStored stored: ConfigurationState, of userID: UserID) -> Verdict {
        verdict(
            on: ConfigurationCandidate(
                needsOriginal ? stored : stored.asReceived, userID: userID.string, origin: .stored,
                time: now()))
    }

    /// The stored configuration of a user, or a replacement; nil when neither is accepted.
    ///
    /// - Parameters:
    ///   - stored: The store's configuration, read after the user's epoch.
    ///   - userID: Its owner.
    ///   - other: The other possible owner, for a store with fallbacks of its own.
    /// - Returns: The configuration.
    func accepted(
        stored: @autoclosure () -> ConfigurationState?, of userID: UserID,
        orOf other: UserID? = nil
    ) -> ConfigurationState? {
        if isEmpty { return stored()?.keptInMemory }
        // Read before the document: a user who is forgotten in between starts another epoch.
        let epochs = (users.epoch(of: userID), other.flatMap { users.epoch(of: $0) })
        guard let stored = stored() else { return nil }
        return accepted(stored, of: userID, orOf: other, in: epochs)
    }

    private func accepted(
        _ stored: ConfigurationState, of userID: UserID, orOf other: UserID?,
        in epochs: (UserEpoch?, UserEpoch?)
    ) -> ConfigurationState? {
        var owner = userID
        var verdict = verdict(onStored: stored, of: owner)
        if case .refused = verdict, let other {
            owner = other
            verdict = self.verdict(onStored: stored, of: owner)
        }
        switch verdict {
        case .accepted(let document, _): return document.keptInMemory
        case .refused(let candidate, _, let refusal):
            report(
                stored: candidate, refusal, kept: nil,
                in: owner == userID ? epochs.0 : epochs.1)
            return nil
        case .ignored(let candidate, let vetting, let refusal, let replacement):
            let kept = replacement.flatMap { replacement -> ConfigurationState? in
                let verdict = self.verdict(onStored: replacement, of: owner)
                guard case .accepted(let document, _) = verdict else { return nil }
                return document.keptInMemory
            }
            vetting.didIgnore(candidate, using: kept)
            report(
                stored: candidate, refusal, kept: kept,
                in: owner == userID ? epochs.0 : epochs.1)
            return kept
        }
    }

    /// A user's pending configuration; nil when it is not accepted.
    ///
    /// - Parameters:
    ///   - pending: The configuration.
    ///   - userID: The user.
    ///   - own: Reads the user's own stored configuration, which a refusal reports as kept.
    /// - Returns: The configuration.
    func accepted(
        pending: ConfigurationState, of userID: UserID, own: () -> ConfigurationState?
    ) -> Vetted? {
        if isEmpty { return Vetted(pending) }
        let epoch = users.epoch(of: userID)
        switch verdict(onStored: pending, of: userID) {
        case .accepted(var document, _):
            document.original = pending.original
            return Vetted(document)
        case .refused(let candidate, _, let refusal):
            report(stored: candidate, refusal, kept: own(), in: epoch)
        case .ignored(let candidate, let vetting, let refusal, _):
            let kept = own()
            vetting.didIgnore(candidate, using: kept)
            report(stored: candidate, refusal, kept: kept, in: epoch)
        }
        return nil
    }

    /// Reports a stored document that is not used.
    private func report(
        stored candidate: ConfigurationCandidate, _ refusal: ConfigurationRefusal,
        kept: ConfigurationState?, in epoch: UserEpoch?
    ) {
        let isNew = observers.tellRefusal(
            ConfigurationEvent(
                .refused(refusal, keptTemplateVersion: kept?.templateVersion),
                userID: candidate.userID,
                document: candidate.document, time: candidate.time, epoch: epoch))
        if isNew {
            log(.warning, "A stored configuration is left out. \(refusal.thrown.logDescription)")
        }
    }

    /// The configuration that an answer may activate; nil for "not modified".
    ///
    /// - Parameters:
    ///   - answer: The downloader's answer.
    ///   - asked: The configuration that the request was about.
    ///   - lastKnown: The user's newest document, own or pending.
    ///   - userID: The user.
    ///   - epoch: The user's epoch at the request.
    /// - Returns: The configuration.
    /// - Throws: The error of a refusal.
    func accepted(
        answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID, in epoch: UserEpoch
    ) throws -> Vetted? {
        let isDocument = answer?.isConfirmation == false
        // Without an answer there is no original, which a vetting may require.
        var unchanged = asked ?? .empty
        unchanged.original = nil
        let candidate = ConfigurationCandidate(
            answer ?? unchanged, userID: userID.string,
            origin: isDocument ? .downloaded : .confirmed, lastKnown: lastKnown, requestBase: asked,
            newestKnownVersion: newestKnownVersion(of: userID, lastKnown), time: now())
        switch verdict(on: candidate) {
        case .accepted(var document, let isChanged):
            guard isDocument else {
                return try confirmed(
                    answer.map { _ in document }, asked: asked, lastKnown: lastKnown, of: userID,
                    in: epoch)
            }
            refused.withLock { $0.noteAccepted(document, of: userID) }
            if !needsOriginal {
                // The received document is vetted again when it is read from the store.
                document.original =
                    isChanged ? document.original ?? answer.map { $0.receivedOriginal } : nil
            }
            return Vetted(document)
        case .refused(_, let vetting, let refusal):
            report(answer, refusedBy: vetting, refusal, kept: lastKnown, of: userID, in: epoch)
            throw refusal.thrown
        case .ignored(let candidate, let vetting, let refusal, _):
            vetting.didIgnore(candidate, using: lastKnown)
            report(
                answer, refusedBy: vetting, refusal, isIgnored: true, kept: lastKnown, of: userID,
                in: epoch)
            return nil
        }
    }

    /// The user's own document in the version named by an answer without a document (304); nil when
    /// that version is known.
    ///
    /// - Throws: The error of the refusal when the answer is about a document that is refused.
    private func confirmed(
        _ answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID, in epoch: UserEpoch
    ) throws -> Vetted? {
        if asked?.entityTag != lastKnown?.entityTag {
            let unchanged = refused.withLock {
                $0.confirm(asked, version: answer?.confirmedVersion, of: userID)
            }
            guard let unchanged else { return nil }
            reportRefusal(
                of: unchanged.document, unchanged.refusal,
                headerFields: answer?.original?.headerFields, kept: lastKnown, of: userID, in: epoch
            )
            if unchanged.isIgnored { return nil }
            throw unchanged.refusal.thrown
        }
        let new = answer.flatMap {
            lastKnown?.takingOver($0.confirmedVersion, of: $0, asked: asked)
        }
        if let confirmed = new ?? lastKnown {
            refused.withLock { $0.noteAccepted(confirmed, of: userID) }
        }
        return new.map { Vetted($0) }
    }

    /// Reports an arrived document that is not accepted, and keeps it for updaters' requests.
    private func report(
        _ document: ConfigurationState?, refusedBy vetting: any ConfigurationVetting,
        _ refusal: ConfigurationRefusal, isIgnored: Bool = false, kept: ConfigurationState?,
        of userID: UserID, in epoch: UserEpoch?
    ) {
        reportRefusal(of: document, refusal, kept: kept, of: userID, in: epoch)
        // An answer that is not authentic is not the server's document, which may be valid.
        guard let document, !document.isConfirmation, !vetting.needsOriginal else { return }
        refused.withLock {
            $0.note(.init(document, refusal, isIgnored: isIgnored), of: userID)
        }
    }

    /// Reports an answer that is not used.
    func reportRefusal(
        of answer: ConfigurationState?, _ refusal: ConfigurationRefusal,
        headerFields: [String: String]? = nil, kept: ConfigurationState?, of userID: UserID,
        in epoch: UserEpoch?
    ) {
        guard let answer, !answer.isConfirmation else { return }
        observers.tellRefusal(
            ConfigurationEvent(
                .refused(refusal, keptTemplateVersion: kept?.templateVersion),
                userID: userID.string,
                document: answer,
                headerFields: headerFields ?? answer.original?.headerFields ?? [:],
                time: now(), epoch: epoch))
    }

    private func newestKnownVersion(
        of userID: UserID, _ lastKnown: ConfigurationState?
    ) -> Int? {
        [lastKnown?.templateVersion, newestRefusedVersion(of: userID)].compactMap(\.self).max()
    }

    /// Checks a document that is not used because it is older than the known one.
    ///
    /// - Throws: The error of a refusal.
    func check(superseded answer: ConfigurationState, of userID: UserID) throws {
        let candidate = ConfigurationCandidate(
            answer, userID: userID.string, origin: .superseded, time: now())
        if case .refused(_, _, let refusal) = verdict(on: candidate) { throw refusal.thrown }
    }

    /// The action for the document to which a pushed change leads.
    enum PushVerdict {
        /// Store and activate the document.
        case apply(Vetted)
        /// Do nothing: a vetting ignores the document.
        case skip
        /// Download the document.
        case fetch
    }

    /// The action for the document to which a pushed change leads.
    func verdict(
        onPushed document: ConfigurationState, lastKnown: ConfigurationState?, of userID: UserID
    ) -> PushVerdict {
        // A change cannot be applied to a document that a vetting has changed.
        if needsOriginal || (!isEmpty && lastKnown?.original != nil) { return .fetch }
        let epoch = users.epoch(of: userID)
        let candidate = ConfigurationCandidate(
            document, userID: userID.string, origin: .pushed, lastKnown: lastKnown,
            newestKnownVersion: newestKnownVersion(of: userID, lastKnown), time: now())
        switch verdict(on: candidate) {
        case .accepted(_, isChanged: true): return .fetch
        case .accepted(let accepted, isChanged: false):
            refused.withLock { $0.noteAccepted(accepted, of: userID) }
            // The change has no original of its own.
            return .apply(Vetted(accepted).withoutOriginal)
        case .refused(_, let vetting, let refusal):
            report(
                document, refusedBy: vetting, refusal, kept: lastKnown, of: userID, in: epoch)
            // The download reports it, without the document.
            return .fetch
        case .ignored(_, let vetting, let refusal, _):
            report(
                document, refusedBy: vetting, refusal, isIgnored: true, kept: lastKnown, of: userID,
                in: epoch)
            return .skip
        }
    }

    /// The document that a request refers to: the user's own, or the newest refused one, so that
    /// the server does not send that again.
    ///
    /// - Parameters:
    ///   - lastKnown: The user's newest document, own or pending.
    ///   - userID: The user.
    ///   - isOfUpdater: True for a request that is repeated until there is a new document. A
    ///     download by the app gets a document refused in this launch once more, to vet it again.
    /// - Returns: The configuration.
    func requestBase(
        _ lastKnown: ConfigurationState?, of userID: UserID, isOfUpdater: Bool
    ) -> ConfigurationState? {
        var base = all.reduce(lastKnown) { base, vetting in
            vetting.requestBase(base, forUserID: userID.string)
        }
        if isOfUpdater { base = refused.withLock { $0.requestBase(base, of: userID) } }
        // Without its original, a "not modified" answer could not be vetted.
        if needsOriginal, base?.original == nil { return lastKnown }
        return base
    }

    /// True for the newest document that was refused for the user in this launch.
    func isRefused(_ document: ConfigurationState, for userID: UserID) -> Bool {
        refused.withLock { $0[userID]?.isOf(document) ?? false }
    }

    /// The version of the user's newest refused document; nil when none is refused.
    func newestRefusedVersion(of userID: UserID) -> Int? {
        let newest = refused.withLock { $0[userID]?.document.templateVersion }
        return (all.map { $0.newestRefusedVersion(forUserID: userID.string) } + [newest])
            .compactMap(\.self).max()
    }
}
