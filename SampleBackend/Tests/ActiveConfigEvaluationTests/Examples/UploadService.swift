// UploadService.swift
import ActiveConfig
import ActiveConfigEvaluation
import Foundation

extension SettingKey<Int> {
    static let uploadLimit = SettingKey("Uploads", "limit", default: 10)
}

/// Answers what any user may upload.
struct UploadService {
    let evaluator: TemplateEvaluator

    init(server: URL, token: String, folder: URL) {
        var options = TemplateEvaluator.Options()
        options.folder = folder
        evaluator = TemplateEvaluator(
            backend: server, project: "default", credentials: .bearerToken { _ in token },
            options: options)
    }

    /// Follows the template until the task is cancelled.
    func run() async {
        async let following: Void = evaluator.run()
        do {
            // From the folder, or at the first start from the server.
            try await evaluator.load()
        } catch {
            print("The limits are defaults until the template arrives: \(error)")
        }
        await following
    }

    /// From memory, on any thread.
    func limit(ofUser userID: String, in country: String) -> Int {
        let settings = evaluator.configuration(
            forUserID: userID, signals: ["device.country": country])
        return settings[.uploadLimit]
    }
}
