import ActiveConfigJSON
import JSONTree
import Targeting
import Templates

/// `meta` of a version's documents as prepared text; only the results of the experiments are
/// inserted per document.
struct CompiledMeta: Sendable {
    /// `creation_time` at the start, and `template_version` at the end.
    private let start, end: String

    /// The experiments, sorted by the UTF-8 of their names, with the indexes of their conditions.
    let experiments: [(key: String, condition: Int)]

    /// Compiles `meta` of a version.
    ///
    /// `experiments` are the conditions that use `percent`: their names and indexes.
    init(_ version: TemplateVersion, experiments: [(key: String, condition: Int)]) {
        let creationTime = JSONNode.string(version.updateTime.timestamp).description
        start = #"{"creation_time":\#(creationTime),"#
        end = #","template_version":\#(version.number)"#
        let sorted = experiments.sorted { $0.key.precedes($1.key) }
        self.experiments = NamedValues(
            sorted.map { ($0.key, $0.condition) }, uniquingKeysWith: { _, last in last }
        ).map { (key: $0.key, condition: $0.value) }
    }

    /// True when another version has the same experiments with the same results.
    func hasSameExperiments(
        _ results: ConditionResults, as other: CompiledMeta, _ otherResults: ConditionResults
    ) -> Bool {
        experiments.count == other.experiments.count
            && zip(experiments, other.experiments).allSatisfy { mine, theirs in
                results[mine.condition] == otherResults[theirs.condition]
                    && mine.key.hasSameBytes(as: theirs.key)
            }
    }

    /// Appends `meta` for the results of the conditions; nil omits the experiments.
    func write(to text: inout DocumentText, results: ConditionResults?) {
        let timeStart = text.json.bytes.count + 1
        // `write(number:)` appends its text verbatim, so it also takes prepared JSON.
        text.json.write(number: start)
        let timeEnd = text.json.bytes.count
        if let results, !experiments.isEmpty {
            text.json.write(raw: #""experiments":{"#)
            for (index, experiment) in experiments.enumerated() {
                if index > 0 { text.json.write(UInt8(ascii: ",")) }
                text.json.write(key: experiment.key)
                text.json.write(raw: results[experiment.condition] ? "true" : "false")
            }
            text.json.write(raw: "},")
        }
        text.json.write(raw: #""format_version_string":"1.0""#)
        let versionStart = text.json.bytes.count
        text.json.write(number: end)
        text.versionMembers = VersionMembers(
            time: timeStart..<timeEnd, version: versionStart..<text.json.bytes.count)
        text.json.write(UInt8(ascii: "}"))
    }
}
