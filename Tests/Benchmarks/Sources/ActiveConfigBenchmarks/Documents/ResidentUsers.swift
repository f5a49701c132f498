import ActiveConfig
import Foundation

/// Configurations of many users in the memory of a separate process.
struct ResidentUsers {
    /// Number of users.
    let userCount: Int
    /// Number of sections, of ten, in which each user has different values.
    let ownSections: Int

    /// Result as a line of text.
    struct Growth {
        /// Growth of the resident size, in bytes.
        let resident: Int
        /// Size of all documents, in bytes.
        let documents: Int

        /// Growth as a multiple of the documents.
        var ratio: Double { Double(resident) / Double(max(documents, 1)) }
    }

    /// The document cannot be read back.
    private struct NothingRead: Error {}

    /// Downloads and retains the users' configurations.
    ///
    /// - Returns: The growth of this process.
    /// - Throws: An error when a document cannot be read.
    func load() async throws -> Growth {
        let documents = try Documents(ownSections: ownSections)
        let config = ActiveConfig(
            configDownloader: documents, configStore: nil,
            notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "benchmarks.listeners"),
            options: ActiveConfigOptions(log: .disabled))
        // One-time allocations.
        try await config.configuration(forUserID: "warm").download()
        let before = Self.residentSize
        for user in 1...userCount {
            try await config.configuration(forUserID: "\(user)").download()
        }
        let after = Self.residentSize
        let size = try documents.text(of: 1).count
        // All configurations are still in memory.
        for user in 1...userCount {
            let handle = config.configuration(forUserID: "\(user)")
            guard handle[SampleDocument.sectionName(9)] != nil else { throw NothingRead() }
        }
        return Growth(resident: after - before, documents: size * userCount)
    }

    /// Answers of the server, each parsed from its own text.
    private struct Documents: ActiveConfigDownloader {
        let shared: SampleDocument
        let ownSections: Int

        init(ownSections: Int) throws {
            shared = try SampleDocument()
            self.ownSections = ownSections
        }

        func text(of user: Int) throws -> Data {
            if ownSections == 0 { return shared.data }
            return try SampleDocument { settings in
                for section in 0..<ownSections {
                    settings[SampleDocument.sectionName(section)]?[
                        SampleDocument.settingKey(section * 100)] = .integer(user)
                }
            }.data
        }

        func requestActiveConfig(
            forUserID userID: String?, lastKnown: ConfigurationState?
        ) async throws -> ConfigurationState? {
            try ConfigurationState(jsonData: text(of: userID.flatMap { Int($0) } ?? 0))
        }
    }

    /// Resident size of this process, in bytes.
    private static var residentSize: Int {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
        return (kibibytes ?? 0) << 10
    }
}
