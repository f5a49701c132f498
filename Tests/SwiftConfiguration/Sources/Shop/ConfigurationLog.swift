// ConfigurationLog.swift
import ActiveConfig
import Logging

/// The framework's log, written by swift-log.
func makeLog(_ logger: Logger, minimumLevel: ActiveConfigLog.Level = .warning) -> ActiveConfigLog {
    ActiveConfigLog(minimumLevel: minimumLevel) { level, message in
        logger.log(level: Logger.Level(rawValue: "\(level)") ?? .info, "\(message)")
    }
}

/// Writes the first read of each value as OpenTelemetry's event of that name, without the user and the value.
struct EvaluationLog: ConfigurationObserving {
    let logger: Logger

    func observe(_ event: ConfigurationEvent) {
        guard case .read(let read) = event.kind else { return }
        logger.debug(
            "feature_flag.evaluation",
            metadata: [
                "feature_flag.key": "\(read.setting)",
                "feature_flag.provider.name": "ActiveConfig",
                "feature_flag.result.reason": read.source == .default ? "default" : "cached",
                "feature_flag.version": "\(event.document?.templateVersion ?? 0)",
            ])
    }
}
