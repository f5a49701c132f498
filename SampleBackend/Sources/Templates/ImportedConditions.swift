import JSONTree

/// The conditions of an imported template, in an order that suits every setting.
///
/// Settings of other products have lists of rules of their own; a template has one order for all.
/// Each list is added so that its conditions keep their order, and a shared condition is repeated
/// where no order would do.
struct ImportedConditions {
    /// A condition of one setting.
    struct Entry {
        let name: String
        let expression: String
        /// True when settings may share a condition of the same expression.
        let isShared: Bool
        let value: ParameterValue
    }

    /// Maximum number of conditions of a template.
    static let maximumCount = TemplateLimits.default.maximumConditions

    private(set) var conditions: [TemplateCondition] = []

    /// The expressions of shared conditions, at the indexes of `conditions`; nil for others.
    private var shared: [ExactText?] = []

    private var names = FreeKeys(besides: [])

    /// True when more conditions were added, or would be, than a template can have.
    var isFull = false

    /// Adds the conditions of a setting in their order.
    ///
    /// - Returns: The values by the names of the conditions.
    mutating func add(_ entries: [Entry]) -> NamedValues<ParameterValue> {
        var values: NamedValues<ParameterValue> = [:]
        guard !isFull else { return values }
        // The conditions before this index precede those that are still to be added.
        var start = 0
        var waiting: [Entry] = []
        for entry in entries {
            guard entry.isShared, let index = index(of: entry, from: start) else {
                waiting.append(entry)
                continue
            }
            let count = insert(waiting, at: index, &values)
            waiting = []
            start = index + count + 1
            values[conditions[start - 1].name] = entry.value
        }
        _ = insert(waiting, at: conditions.count, &values)
        return values
    }

    /// The index of a shared condition with the expression of an entry, at or after another index.
    private func index(of entry: Entry, from start: Int) -> Int? {
        let expression = ExactText(entry.expression)
        return shared[start...].firstIndex(of: expression)
    }

    /// Inserts conditions, and returns their number.
    private mutating func insert(
        _ entries: [Entry], at index: Int, _ values: inout NamedValues<ParameterValue>
    ) -> Int {
        guard conditions.count + entries.count <= Self.maximumCount else {
            isFull = true
            return 0
        }
        let made = entries.map { entry in
            let name = names.take(nearest: entry.name)
            values[name] = entry.value
            return TemplateCondition(name: name, expression: entry.expression)
        }
        conditions.insert(contentsOf: made, at: index)
        shared.insert(
            contentsOf: entries.map { $0.isShared ? ExactText($0.expression) : nil }, at: index)
        return made.count
    }

    /// Adds a condition without values; settings can be given some.
    mutating func addUnused(name: String, expression: String) {
        var ignored: NamedValues<ParameterValue> = [:]
        _ = insert(
            [Entry(name: name, expression: expression, isShared: true, value: .value(""))],
            at: conditions.count, &ignored)
    }
}
