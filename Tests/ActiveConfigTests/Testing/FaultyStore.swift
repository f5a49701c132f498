import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Store with a fault that the conformance suite must detect.
final class FaultyStore: ActiveConfigStore {
    /// Fault and the rule that it breaks.
    enum Fault: CaseIterable, CustomTestStringConvertible {
        case onlyRequirements, throwing, comparesAsStrings, ignoresCase, mixesNilAndEmpty
        case neverRemoves, losesTheTag, keepsNumbersAsDoubles, keepsOnlyChangedSections,
            presentsFallbackAsOwn, inventsTheTag
        case prefersBootstrap, noGenericFallback, inventsFirstDownload, alwaysFirst, neverFirst
        case forgetful, torn, foreign
        case replacesLaterVersions
        case neverRemovesRecords, mixesRecords, dropsRecords, losesChanges

        var rule: String {
            switch self {
            case .onlyRequirements: "A user's own configuration is the one that was persisted last"
            case .throwing: "Found: the error: "
            case .comparesAsStrings, .ignoresCase, .mixesNilAndEmpty: "compared byte by byte"
            case .neverRemoves: "Persisting nil removes a user's configuration."
            case .losesTheTag: "The entity tag is kept beside the document"
            case .keepsNumbersAsDoubles: "with numbers of each kind too"
            case .keepsOnlyChangedSections: "differs in `meta` alone"
            case .presentsFallbackAsOwn: "A fallback is never a user's own configuration."
            case .inventsTheTag: "A user without a configuration has no entity tag."
            case .prefersBootstrap: "Once the generic user has a configuration"
            case .noGenericFallback: "falls back to the generic user's"
            case .inventsFirstDownload: "An empty store knows of no first download."
            case .alwaysFirst: "Of many who record a first download at once, one is the first."
            case .neverFirst: "Recording a first download returns true only the first time."
            case .forgetful: "Persisted configurations are there in a newly opened store."
            case .torn: "Found: a mix of two configurations."
            case .foreign: "was asked for."
            case .replacesLaterVersions: "A configuration that is stored unless a later one is"
            case .neverRemovesRecords: "A change to nil removes the record"
            case .mixesRecords: "A record that was never written is nil."
            case .dropsRecords: "Records stay when configurations are removed."
            case .losesChanges: "Concurrent changes of a record lose none."
            }
        }

        var testDescription: String { "\(self)" }
    }

    struct Failure: Error {}

    let fault: Fault
    private let base = InMemoryStore()
    private let bootstrap: ConfigurationState?

    init(_ fault: Fault, bootstrap: ConfigurationState? = nil) {
        self.fault = fault
        self.bootstrap = bootstrap
    }

    /// Newly opened store that has lost everything.
    func forget() -> FaultyStore { FaultyStore(fault) }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        if fault == .prefersBootstrap, userID != nil, let bootstrap,
            base.ownConfiguration(forUserID: key(userID)) == nil
        {
            return bootstrap
        }
        if fault == .noGenericFallback, userID != nil {
            return base.ownConfiguration(forUserID: key(userID))
        }
        let found = base.lastKnownActiveConfiguration(forUserID: key(userID)) ?? bootstrap
        if fault == .foreign, userID == "user 3" {
            return base.ownConfiguration(forUserID: "user 2") ?? found
        }
        return found
    }

    func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        if fault == .onlyRequirements { return nil }
        var own = base.ownConfiguration(forUserID: key(userID))
        if fault == .losesTheTag { own?.entityTag = nil }
        if fault == .presentsFallbackAsOwn {
            return own ?? base.lastKnownActiveConfiguration(forUserID: nil)
        }
        return own
    }

    func ownEntityTag(forUserID userID: String?) -> String? {
        fault == .inventsTheTag ? "\"invented\"" : nil
    }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        if fault == .throwing { throw Failure() }
        if fault == .neverRemoves, configuration == nil, userID != nil { return }
        var configuration = configuration
        let own = base.ownConfiguration(forUserID: key(userID))
        if fault == .keepsOnlyChangedSections, own?.sections == configuration?.sections { return }
        if fault == .keepsNumbersAsDoubles, let section = configuration?.sections["Numbers"] {
            let pairs = section.settingKeys.map { key in
                (key, section.double(forKey: key).map { SettingValue.double($0) } ?? .null)
            }
            configuration?.sections["Numbers"] = .make(Dictionary(uniqueKeysWithValues: pairs))
        }
        if fault == .torn, configuration?.sections["B"] != nil {
            configuration?.sections["B"] = own?.sections["B"]
        }
        base.persistConfiguration(configuration, forUserID: key(userID))
        if fault == .dropsRecords, configuration == nil {
            base.updateRecord(.clientState(named: "a-1")) { _ in nil }
        }
    }

    func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (Int) -> Bool
    ) throws -> Bool {
        let version = ownConfiguration(forUserID: userID)?.templateVersion
        if fault != .replacesLaterVersions, version.map(isLater) == true { return false }
        try persistConfiguration(configuration, forUserID: userID)
        return true
    }

    func record(_ record: StoreRecord) throws -> Data? {
        if fault == .onlyRequirements { throw StoreRecord.UnsupportedError() }
        return base.record(key(record))
    }

    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        if fault == .onlyRequirements { throw StoreRecord.UnsupportedError() }
        if fault == .losesChanges, try self.record(record)?.count == 10 { return }
        base.updateRecord(key(record)) { data in
            change(data) ?? (fault == .neverRemovesRecords ? data : nil)
        }
    }

    private func key(_ record: StoreRecord) -> StoreRecord {
        guard fault == .mixesRecords else { return record }
        return .clientState(named: String(record.key.prefix(7)))
    }

    var firstDownloadFinished: Bool {
        fault == .inventsFirstDownload || base.firstDownloadFinished
    }

    func recordFirstDownloadFinished() -> Bool {
        let isFirst = base.recordFirstDownloadFinished()
        return (isFirst || fault == .alwaysFirst) && fault != .neverFirst
    }

    private func key(_ userID: String?) -> String? {
        switch fault {
        case .comparesAsStrings: userID?.precomposedStringWithCanonicalMapping
        case .ignoresCase: userID?.lowercased()
        case .mixesNilAndEmpty: userID ?? ""
        default: userID
        }
    }
}
