import ActiveConfig
import ActiveConfigTesting
import Testing

/// Downloader with a fault that the conformance suite must detect.
struct FaultyDownloader: ActiveConfigDownloader {
    /// Fault and the rule that it breaks.
    enum Fault: CaseIterable, CustomTestStringConvertible {
        case comparesAsStrings, ignoresTheUser, alwaysUnchanged, neverUnchanged, ignoresTheTag
        case failsWithNil, ignoresCancellation, cancelledWithNil

        var rule: String {
            switch self {
            case .comparesAsStrings, .ignoresTheUser: "answered with that user's document"
            case .alwaysUnchanged: "Concurrent requests do not get each other's answers."
            case .neverUnchanged: "is answered with nil when nothing has changed"
            case .ignoresTheTag: "with an older configuration is answered with the new one"
            case .failsWithNil: "A request that fails throws"
            case .ignoresCancellation: "A cancelled request ends soon."
            case .cancelledWithNil: "A cancelled request throws."
            }
        }

        var testDescription: String { "\(self)" }
    }

    struct Failure: Error {}

    let fault: Fault?
    let backend: DownloaderConformance.Backend

    init(_ fault: Fault?, backend: DownloaderConformance.Backend) {
        self.fault = fault
        self.backend = backend
    }

    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        backend.requestArrived()
        switch backend.conduct {
        case .answers: return answer(userID, lastKnown)
        case .fails:
            if fault == .failsWithNil { return nil }
            throw Failure()
        case .hangs:
            if fault == .ignoresCancellation {
                await Task { try? await ManualClock().sleep(for: .seconds(1)) }.value
            }
            do {
                try await ManualClock().sleep(for: .seconds(1))
            } catch  where fault == .cancelledWithNil {
                return nil
            }
            return nil
        }
    }

    private func answer(
        _ userID: String?, _ lastKnown: ConfigurationState?
    ) -> ConfigurationState? {
        if fault == .alwaysUnchanged { return nil }
        let id =
            switch fault {
            case .ignoresTheUser: String?.none
            case .comparesAsStrings:
                DownloaderConformance.userIDs.first { $0 == userID } ?? userID
            default: userID
            }
        let answer = backend.configuration(forUserID: id)
        if fault == .neverUnchanged { return answer }
        if fault == .ignoresTheTag { return lastKnown == nil ? answer : nil }
        return lastKnown?.entityTag == answer?.entityTag ? nil : answer
    }
}
