import JSONTree
import OrderedCollections

/// The pairs of conditions that *meet*: for each of the two, the same setting has a value.
struct ConditionMeetings: Sendable {
    /// A parameter by the bytes of its names; the group is nil outside of groups.
    private struct Place: Hashable {
        let group: ExactText?
        let key: ExactText
    }

    /// The settings with values for several conditions, and the numbers of these.
    private var settings: OrderedDictionary<Place, OrderedSet<Int>> = [:]

    /// The conditions that meet a condition, by its number.
    private let rows: [NumberSet]

    /// Finds the pairs.
    ///
    /// - Parameters:
    ///   - templates: The templates that a merge can have as result. A setting has the values of
    ///     all, since each can be chosen on its own.
    ///   - numbers: The numbers of the conditions, from 0.
    init(in templates: [RemoteConfigTemplate], numbers: [ExactText: Int]) {
        var settings: OrderedDictionary<Place, OrderedSet<Int>> = [:]
        func note(_ parameters: NamedValues<TemplateParameter>, _ group: String?) {
            for (key, parameter) in parameters where !parameter.conditionalValues.isEmpty {
                let place = Place(group: group.map { ExactText($0) }, key: ExactText(key))
                settings[place, default: []].formUnion(
                    parameter.conditionalValues.keys.compactMap { numbers[$0] })
            }
        }
        for template in templates {
            note(template.parameters, nil)
            for (name, group) in template.parameterGroups { note(group.parameters, name) }
        }
        settings.removeAll { $0.value.count < 2 }
        var rows = [NumberSet](repeating: NumberSet(below: numbers.count), count: numbers.count)
        for conditions in settings.values {
            let all = NumberSet(conditions, below: numbers.count)
            for condition in conditions { rows[condition].formUnion(all) }
        }
        self.settings = settings
        self.rows = rows
    }

    /// The pairs that meet, each once, the lower number first.
    func forEachPair(_ body: (Int, Int) -> Void) {
        for (first, row) in rows.enumerated() {
            for second in row.numbers where first < second { body(first, second) }
        }
    }

    /// The settings in which two of the given pairs meet.
    ///
    /// - Parameter pairs: Conditions by the number of the other condition of the pair.
    /// - Returns: The settings in the order of the templates.
    func settings(of pairs: [Int: NumberSet]) -> [TemplateMerge.Setting] {
        settings.filter { _, conditions in
            conditions.contains { first in
                guard let others = pairs[first] else { return false }
                return conditions.contains(where: others.contains)
            }
        }.keys.map { TemplateMerge.Setting(group: $0.group?.text, key: $0.key.text) }
    }
}

/// A set of small numbers, as bits.
struct NumberSet: Sendable {
    private var words: [UInt64]

    init(_ numbers: some Sequence<Int> = [], below limit: Int) {
        words = [UInt64](repeating: 0, count: (limit + 63) / 64)
        for number in numbers { insert(number) }
    }

    mutating func insert(_ number: Int) { words[number / 64] |= 1 << UInt64(number % 64) }

    mutating func formUnion(_ other: NumberSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    func contains(_ number: Int) -> Bool { words[number / 64] & 1 << UInt64(number % 64) != 0 }

    /// The numbers in ascending order.
    var numbers: [Int] {
        var numbers: [Int] = []
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                numbers.append(64 * index + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return numbers
    }
}
