// ConfigurationMetrics.swift
import ActiveConfig
import ActiveConfigRealtime
import Metrics

/// Records metrics until the task is cancelled; run it beside the updater.
func measure(_ config: ActiveConfig, _ updater: ActiveConfigUpdater) async {
    let observation = config.addObserver(ConfigurationMetrics())
    await recordUpdates(of: updater)
    observation.cancel()
}

/// Counts documents that became active or were refused.
struct ConfigurationMetrics: ConfigurationObserving {
    func observe(_ event: ConfigurationEvent) {
        switch event.kind {
        case .active: Counter(label: "activeconfig.document.activations").increment()
        case .refused(let refusal, _):
            let type = "\(type(of: refusal.underlyingError ?? refusal))"
            Counter(label: "activeconfig.document.refusals", dimensions: [("error.type", type)])
                .increment()
        case .read, .forgotten: break
        }
    }
}

/// Records the number of users in each state and the newest change's version, and counts changes.
func recordUpdates(of updater: ActiveConfigUpdater) async {
    let changes = Counter(label: "activeconfig.updater.changes")
    let version = Gauge(label: "activeconfig.document.version")
    let meters = ["connecting", "live", "polling", "waiting", "paused"].reduce(into: [:]) {
        $0[$1] = Meter(
            label: "activeconfig.updater.user.count",
            dimensions: [("activeconfig.updater.state", $1)])
    }
    for meter in meters.values { meter.set(0) }
    var states: [String?: String] = [:]
    for await update in updater.updates {
        switch update {
        case .state(let state, let userID):
            if let old = states.removeValue(forKey: userID) { meters[old]?.decrement() }
            guard let name = name(of: state) else { continue }
            states[userID] = name
            meters[name]?.increment()
        case .applied(let update):
            changes.increment()
            if let newest = update.templateVersion { version.record(newest) }
        case .pending: break
        }
    }
}

/// A name for each state, without its time and reason; nil for users who are no longer followed.
private func name(of state: ActiveConfigUpdateState) -> String? {
    switch state {
    case .connecting: "connecting"
    case .live: "live"
    case .polling: "polling"
    case .waiting: "waiting"
    case .paused: "paused"
    case .stopped: nil
    }
}

/// Records the age of the current user's document, in seconds, and whether it is up to date.
func recordFreshness(of config: ActiveConfig) {
    let status = config.status
    Gauge(label: "activeconfig.document.fresh").record(status.freshness == .upToDate ? 1 : 0)
    guard let age = status.age() else { return }
    Gauge(label: "activeconfig.document.age").record(age / .seconds(1))
}
