public import Foundation

/// A part of a schedule: the start publishes a condition at its first percentage, and the server
/// then raises the percentage step by step, as long as apps report no problems.
public struct Rollout: Sendable, Hashable, Codable {
    /// What was planned, which votes are for.
    public struct Plan: Sendable, Hashable, Codable {
        /// What happens when apps report too many problems; stores keep the raw value.
        public enum Response: String, Sendable, Hashable, Codable {
            /// The percentage stays, and a person decides.
            case hold
            /// The percentage before is published again, and a person decides; from the first one, all
            /// is taken back, and the rollout ends.
            case takeBack
        }

        /// The name of the condition.
        public let condition: String

        /// The upper bounds of the condition's `percent` rule, rising, in millionths of a percent.
        public let bounds: [Int]

        /// The lower bound of the rule, in millionths of a percent.
        public let lowerBound: Int

        /// Time between two steps, and from the last one to the end of the rollout, in seconds.
        public let interval: TimeInterval

        /// Maximum share of the users whom the rollout reaches with new problems, in percent; nil for
        /// any.
        public let maximumProblemPercent: Double?

        /// Maximum share of the open streams and long polls that may have vanished since a step, in
        /// percent; nil for any.
        public let maximumLostStreamPercent: Double?

        /// Number of clients that have to report on a step before the next one.
        public let minimumClients: Int

        /// What happens when apps report too many problems.
        public let response: Response

        /// Creates a plan.
        public init(
            condition: String, bounds: [Int], lowerBound: Int = 0, interval: TimeInterval,
            maximumProblemPercent: Double? = nil, maximumLostStreamPercent: Double? = nil,
            minimumClients: Int = 0, response: Response = .hold
        ) {
            self.condition = condition
            self.bounds = bounds
            self.lowerBound = lowerBound
            self.interval = interval
            self.maximumProblemPercent = maximumProblemPercent
            self.maximumLostStreamPercent = maximumLostStreamPercent
            self.minimumClients = minimumClients
            self.response = response
        }
    }

    /// The open streams and long polls at one server.
    public struct ServerStreams: Sendable, Hashable, Codable {
        /// Identifies the process of the server.
        public let server: String

        /// Number of streams and long polls.
        public let count: Int

        /// Creates a count.
        public init(server: String, count: Int) {
            self.server = server
            self.count = count
        }
    }

    /// A percentage that was published.
    public struct Step: Sendable, Hashable, Codable {
        /// The place in the plan's ``Plan/bounds``.
        public let place: Int

        /// The version.
        public let version: Int

        /// When it was published.
        public let date: Date

        /// Number of streams and long polls that were open before it.
        public let streams: Int

        /// Those of each server; nil when they are not known, and for steps before the last one.
        public internal(set) var streamsByServer: [ServerStreams]?

        /// True when a later percentage was taken back to this one.
        public let isTakenBack: Bool

        /// Creates a step.
        public init(
            place: Int, version: Int, date: Date, streams: Int = 0,
            streamsByServer: [ServerStreams]? = nil, isTakenBack: Bool = false
        ) {
            self.streams = streams
            self.streamsByServer = streamsByServer
            self.place = place
            self.version = version
            self.date = date.roundedToMilliseconds
            self.isTakenBack = isTakenBack
        }
    }

    /// Why and since when no further step is taken.
    public struct Stop: Sendable, Hashable, Codable {
        /// The reason; nil when none was given.
        public let reason: String?

        /// The version that took back what the start had changed; nil when none did.
        public let version: Int?

        /// The settings and conditions that this version left as they are, since others had changed
        /// them or use them.
        public let kept: [String]

        /// The time.
        public let date: Date

        /// Creates a stop.
        public init(reason: String?, version: Int? = nil, kept: [String] = [], date: Date) {
            self.reason = reason
            self.version = version
            self.kept = kept
            self.date = date.roundedToMilliseconds
        }
    }

    /// What apps report on versions, such as before the rollout started.
    public struct Reports: Sendable, Hashable, Codable {
        /// A setting, or a section, with problems.
        public struct Place: Sendable, Hashable, Codable {
            /// The section.
            public let section: String

            /// The setting; nil for the whole section.
            public let key: String?

            /// Number of clients with the problem.
            public let clients: Int

            /// Creates a place.
            public init(section: String, key: String?, clients: Int) {
                self.section = section
                self.key = key
                self.clients = clients
            }
        }

        /// Number of clients that have reported.
        public let clients: Int

        /// Number of those that reported problems.
        public let withProblems: Int

        /// The places with the most problems, most first.
        public let places: [Place]

        /// Number of open streams and long polls.
        public var streams = 0

        /// Those of each server, of at most 100; nil when they are not known.
        public var streamsByServer: [ServerStreams]? {
            didSet {
                streamsByServer = streamsByServer.map {
                    Array($0.sorted { $0.count > $1.count }.prefix(Self.mostServers))
                }
            }
        }

        /// Maximum number of places that are stored.
        package static let mostPlaces = 20

        private static let mostServers = 100

        /// Creates reports.
        public init(clients: Int, withProblems: Int, places: [Place] = []) {
            self.clients = clients
            self.withProblems = withProblems
            self.places = places.sorted {
                ($0.clients, $1.section, $1.key ?? "")
                    > ($1.clients, $0.section, $0.key ?? "")
            }
        }

        /// The reports as they are stored: with the places that have the most problems.
        var stored: Reports {
            Reports(
                clients: clients, withProblems: withProblems,
                places: Array(places.prefix(Self.mostPlaces)), streams: streams)
        }

        private init(clients: Int, withProblems: Int, places: [Place], streams: Int) {
            self.clients = clients
            self.withProblems = withProblems
            self.places = places
            self.streams = streams
        }
    }

    /// What was planned.
    public let plan: Plan

    /// The percentages that were published, in their order.
    public private(set) var steps: [Step] = []

    /// The time of the next step, or of the end after the last one; nil before the start, while it is
    /// held, and after its end.
    public private(set) var nextDate: Date?

    /// When the next step would have been taken, had it not been held; nil while it is not held.
    private var heldDate: Date?

    /// True when the next step is taken whatever apps report.
    public private(set) var ignoresReports = false

    /// Why it is held; nil while it is not.
    public private(set) var hold: Stop?

    /// Why it has ended before its last step; nil when it has not.
    public private(set) var stop: Stop?

    /// When it ended after its last step; nil when it has not.
    public private(set) var completionDate: Date?

    /// What apps reported before the start.
    public private(set) var reportsBefore: Reports?

    /// Creates a rollout that waits for its start.
    public init(plan: Plan) { self.plan = plan }
}

extension Rollout {
    /// Maximum number of remembered steps: each resumption can add one.
    private static let mostSteps = 100

    /// How far a rollout is.
    public enum State: String, Sendable, Hashable {
        case waiting
        case running
        case held
        case completed
        case stopped
    }

    /// The state of a rollout whose schedule has started or waits.
    public var state: State {
        if stop != nil { return .stopped }
        if completionDate != nil { return .completed }
        if hold != nil { return .held }
        return steps.isEmpty ? .waiting : .running
    }

    /// The place of the published percentage in the plan's ``Plan/bounds``; nil before the start.
    public var place: Int? { steps.last?.place }

    /// The percentage that is published now; nil before the start, and once all is taken back.
    public var bound: Int? { stop?.version == nil ? place.map { plan.bounds[$0] } : nil }

    /// The version of the last publish; nil before the start.
    var lastVersion: Int? { stop?.version ?? steps.last?.version }

    /// The percentage of the next step; nil after the last one.
    public var nextBound: Int? {
        let next = place.map { $0 + 1 } ?? 0
        return next < plan.bounds.count ? plan.bounds[next] : nil
    }

    /// When something has to be decided; nil before the start and after the end.
    var dueDate: Date? {
        switch state {
        case .running: nextDate
        case .held: hold.map { $0.date + TemplateStoreLimits.longestHold }
        case .waiting, .completed, .stopped: nil
        }
    }

    /// Records the publish of a percentage, after which the next one waits for the plan's interval.
    mutating func publish(
        _ place: Int, as version: Int, at date: Date, after reports: Reports?
    ) {
        add(
            Step(
                place: place, version: version, date: date, streams: reports?.streams ?? 0,
                streamsByServer: reports?.streamsByServer))
        nextDate = (date + plan.interval).roundedToMilliseconds
        (hold, ignoresReports) = (nil, false)
    }

    /// Records the start.
    mutating func start(as version: Int, at date: Date, after reports: Reports?) {
        publish(0, as: version, at: date, after: reports)
        reportsBefore = reports?.stored
    }

    private mutating func add(_ step: Step) {
        steps = steps.suffix(Self.mostSteps - 1)
        for index in steps.indices { steps[index].streamsByServer = nil }
        steps.append(step)
    }

    /// Records that the percentage before was published again; from the first one it has ended.
    mutating func takeBack(
        as version: Int, at date: Date, because reason: String?, keeping kept: [String]
    ) {
        guard let place, place > 0 else {
            end(at: date, because: reason)
            stop = Stop(reason: reason, version: version, kept: kept, date: date)
            return
        }
        add(Step(place: place - 1, version: version, date: date, isTakenBack: true))
        hold(at: date, because: reason)
    }

    /// Holds it until a person resumes it.
    public mutating func hold(at date: Date, because reason: String?) {
        hold = Stop(reason: reason, date: date)
        heldDate = nextDate ?? heldDate
        (nextDate, ignoresReports) = (nil, false)
    }

    /// Resumes it: the next step is taken when it was to be taken, or now if that is over.
    ///
    /// - Parameters:
    ///   - date: The current time.
    ///   - isAtOnce: True to take the next step now.
    ///   - ignoresReports: True to take it whatever apps report.
    public mutating func resume(
        at date: Date, atOnce isAtOnce: Bool = false, ignoringReports ignoresReports: Bool
    ) {
        nextDate = max(date, isAtOnce ? date : heldDate ?? date).roundedToMilliseconds
        (hold, heldDate) = (nil, nil)
        self.ignoresReports = ignoresReports
    }

    /// Ends it at the percentage that is published now.
    public mutating func end(at date: Date, because reason: String?) {
        (hold, heldDate, nextDate, ignoresReports) = (nil, nil, nil, false)
        if nextBound == nil, reason == nil {
            completionDate = date.roundedToMilliseconds
        } else {
            stop = Stop(reason: reason, date: date)
        }
    }
}

extension TemplateStoreLimits {
    /// How long a rollout can be held before it ends where it is, in seconds: 60 days.
    public static let longestHold: TimeInterval = 60 * 86_400
}
