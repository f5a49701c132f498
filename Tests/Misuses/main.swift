// Code at the top level, where the compiler chooses the overload that does not wait.
import ActiveConfig
import Foundation

let backend = ActiveConfigBackend(url: URL(filePath: "/"))
let config = ActiveConfig(configDownloader: JSONURLDownloader(backend: backend))
// error: Await the function of the same name, in a type with @main if in main.swift.
try await config.downloadNewConfig()
// error: Await the function of the same name, in a type with @main if in main.swift.
await config.activate()
// error: Await the function of the same name, in a type with @main if in main.swift.
await config.markStale()

// Valid uses.
config.startDownload()
let result: DownloadResult = try await config.downloadNewConfig()
func startDownload(of config: ActiveConfig) { config.downloadNewConfig() }
func wait(for config: ActiveConfig) async throws { try await config.downloadNewConfig() }
