import ActiveConfig
import Foundation
import Measuring

/// F7: finding the changes between two documents of 10,000 settings, one of which differs.
enum F7Differences: BenchmarkTarget {
    static let name = "F7"
    static let work = "find 1 change among 10,000 settings"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let tenSections = try Pair(sections: 10)
        let oneSection = try Pair(sections: 1)
        let spaced = try Pair(sections: 10, isSpaced: true)
        let samples = try await setup.rounds.measure([
            try tenSections.comparing(), try tenSections.parsing(),
            try oneSection.comparing(), try oneSection.parsing(),
            try spaced.comparing(), try spaced.parsing(),
        ])
        return [
            Row(
                name, "\(work), 10 sections", ours: samples[0], against: "parsing one", samples[1],
                wanted: .atMostTimes(0.1)),
            Row(
                name, "\(work), 1 section", ours: samples[2], against: "parsing one", samples[3],
                wanted: .nothing),
            Row(
                name, "\(work), 10 sections, other white space", ours: samples[4],
                against: "parsing one", samples[5], wanted: .nothing),
        ]
    }

    /// Two documents that differ in one setting.
    private struct Pair {
        let old: ConfigurationState
        let new: ConfigurationState
        let newData: Data
        let changedSection: String
        let changedKey: String

        init(sections: Int, isSpaced: Bool = false) throws {
            let perSection = 10_000 / sections
            let section = SampleDocument.sectionName(sections / 2)
            let key = SampleDocument.settingKey(sections / 2 * perSection + perSection / 2)
            changedSection = section
            changedKey = key
            old = try SampleDocument(sections: sections, settingsPerSection: perSection).state
            let changed = try SampleDocument(sections: sections, settingsPerSection: perSection) {
                $0[section]?[key] = "changed"
            }
            newData = isSpaced ? Self.spaced(changed.data) : changed.data
            new = isSpaced ? try ConfigurationState(jsonData: newData) : changed.state
        }

        /// Document with white space between its settings, so that no section's text equals that of
        /// the other document.
        private static func spaced(_ data: Data) -> Data {
            let text = String(decoding: data, as: UTF8.self)
            return Data(text.replacing("},\"setting_", with: "},\n\"setting_").utf8)
        }

        /// Finds the changed sections, and their changed keys.
        func comparing() throws -> Side {
            try Side.repeating("compare") {
                let changes = F7Differences.changes(from: old, to: new)
                guard changes == ["\(changedSection).\(changedKey)"] else {
                    throw WrongChanges(found: changes)
                }
                return changes.count
            }
        }

        /// Parses one of the documents.
        func parsing() throws -> Side {
            try Side.repeating("parse") {
                try ConfigurationState(jsonData: newData).sections.count
            }
        }
    }

    /// The detected changes are not those that were made.
    private struct WrongChanges: Error, CustomStringConvertible {
        let found: [String]
        var description: String { "wrong changes: \(found.prefix(3))" }
    }

    /// Settings that were added, removed or changed, compared as an app would do it.
    private static func changes(
        from old: ConfigurationState, to new: ConfigurationState
    ) -> [String] {
        var found: [String] = []
        for name in Set(old.sections.keys).union(new.sections.keys)
        where old.sections[name] != new.sections[name] {
            let change = SectionChange(
                sectionName: name, old: old.sections[name], new: new.sections[name],
                reason: .downloaded)
            found += (change.addedKeys + change.removedKeys + change.changedKeys)
                .map { "\(name).\($0)" }
        }
        return found
    }
}
