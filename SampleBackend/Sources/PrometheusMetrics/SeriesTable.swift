/// The series of a factory by family, and the rules for what is kept.
struct SeriesTable: Sendable {
    /// The series of one name.
    private struct Entry: Sendable {
        let type: MetricType
        let help: String?
        var series: [MetricLabels: any MetricSeries] = [:]
    }

    private let maximumSeries: Int
    private var entries: [String: Entry] = [:]
    private var reservedNames = Set(SeriesTable.ownNames)
    private var count = 0
    private var overflows: UInt64 = 0
    private var conflicts: UInt64 = 0

    /// Makes a table without series.
    ///
    /// - Parameter maximumSeries: The most series it keeps.
    init(maximumSeries: Int) {
        self.maximumSeries = maximumSeries
    }

    /// Gives the series of an identity.
    ///
    /// - Parameters:
    ///   - identity: Which series.
    ///   - help: What its family is about; the first series of a family decides.
    ///   - make: Makes the series when there is none.
    /// - Returns: The series, or one that takes its place when it cannot be kept.
    mutating func series<Series: MetricSeries>(
        _ identity: SeriesIdentity, help: String?, make: (SeriesIdentity) -> Series
    ) -> Series {
        let entry = entries[identity.name]
        if let known = entry?.series[identity.labels] as? Series { return known }
        guard entry.map({ $0.type == Series.type }) ?? isFree(identity.name, for: Series.type)
        else {
            conflicts += 1
            return make(identity)
        }
        guard count < maximumSeries else {
            overflows += 1
            return overflow(of: identity, make: make)
        }
        return insert(make(identity), help: help)
    }

    /// Removes a series, when it is the one that is kept; the series of an overflow stays.
    ///
    /// - Parameter series: The series.
    mutating func remove(_ series: any MetricSeries) {
        let identity = series.identity
        guard identity.labels != .overflow,
            entries[identity.name]?.series[identity.labels] === series
        else { return }
        entries[identity.name]?.series[identity.labels] = nil
        count -= 1
        if let entry = entries[identity.name], entry.series.isEmpty {
            entries[identity.name] = nil
            reservedNames.subtract(entry.type.reservedNames(of: identity.name))
        }
    }

    /// All families, sorted by name, their series sorted by labels.
    var families: [MetricFamily] {
        entries.sorted { $0.key < $1.key }.map { name, entry in
            MetricFamily(
                name: name, type: entry.type, help: entry.help,
                samples: entry.series.sorted { $0.key < $1.key }.flatMap(\.value.samples))
        }
    }

    /// The families about the series themselves.
    var diagnostics: [MetricFamily] {
        [
            MetricFamily(
                name: "metrics_series", type: .gauge, help: "Series that are kept.",
                samples: [MetricSample(name: "metrics_series", count: UInt64(max(0, count)))]),
            MetricFamily(
                name: "metrics_series_conflicts_total", type: .counter,
                help: "Metrics left out because their name belongs to another type.",
                samples: [
                    MetricSample(name: "metrics_series_conflicts_total", count: conflicts)
                ]),
            MetricFamily(
                name: "metrics_series_overflows_total", type: .counter,
                help: "Metrics made beyond the limit of series.",
                samples: [
                    MetricSample(name: "metrics_series_overflows_total", count: overflows)
                ]),
        ]
    }

    /// The names of the families that are always written.
    private static var ownNames: [String] {
        ["metrics_series", "metrics_series_conflicts_total", "metrics_series_overflows_total"]
            + ProcessStatistics.names
    }

    /// Whether no family has one of the names that a new one needs.
    private func isFree(_ name: String, for type: MetricType) -> Bool {
        reservedNames.isDisjoint(with: type.reservedNames(of: name))
    }

    /// Gives the series that takes what is over the limit.
    ///
    /// Numbers of many gauges in one would mean nothing, and a new family would make families grow
    /// without a limit: those are made and not kept.
    private mutating func overflow<Series: MetricSeries>(
        of identity: SeriesIdentity, make: (SeriesIdentity) -> Series
    ) -> Series {
        let overflow = SeriesIdentity(name: identity.name, labels: .overflow)
        guard Series.type != .gauge, let entry = entries[identity.name] else {
            return make(identity)
        }
        if let known = entry.series[.overflow] as? Series { return known }
        return insert(make(overflow), help: nil)
    }

    /// Keeps a series.
    private mutating func insert<Series: MetricSeries>(_ series: Series, help: String?) -> Series {
        let name = series.identity.name
        reservedNames.formUnion(Series.type.reservedNames(of: name))
        entries[name, default: Entry(type: Series.type, help: help)]
            .series[series.identity.labels] = series
        count += 1
        return series
    }
}
