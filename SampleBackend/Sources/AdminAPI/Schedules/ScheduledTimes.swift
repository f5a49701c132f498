import Foundation
import HTTPServing
import JSONTree
import TemplateStore

/// The times of a schedule in a body, checked.
struct ScheduledTimes: Sendable {
    let start: ScheduledPublish.Time
    let end: ScheduledPublish.Time?
    let zone: String?

    /// Reads `at`, `until` and `zone`; members that are missing keep those of an earlier schedule.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - earlier: The schedule that is moved; nil for a new one.
    ///   - date: The current time.
    /// - Throws: A ``RequestError`` with status 400 for a time that does not exist, has no offset, or
    ///   is not in the future.
    init(
        in body: JSONNode, replacing earlier: ScheduledPublish? = nil, at date: Date
    ) throws(RequestError) {
        let zone = body["zone"] == nil ? earlier?.zone : try Self.zone(in: body)
        guard let start = try Self.time("at", in: body, at: date) ?? earlier?.start else {
            throw .invalidArgument(
                "at is missing: send the time, such as 2026-12-01T09:00:00+01:00.")
        }
        let end =
            body["until"] == .null
            ? nil : try Self.time("until", in: body, at: date) ?? earlier?.end
        if let known = zone.flatMap({ TimeZone(identifier: $0) }) {
            try Self.check(start, named: "at", in: known)
            if let end { try Self.check(end, named: "until", in: known) }
        }
        if let end, end.date < start.date + Self.shortestTime {
            throw .invalidArgument(
                "until is not after at: send a time at least a minute after \(start.text).")
        }
        (self.start, self.end, self.zone) = (start, end, zone)
    }

    /// Shortest time between start and end, in seconds.
    private static let shortestTime = 60.0

    private static func time(
        _ name: String, in body: JSONNode, at date: Date
    ) throws(RequestError) -> ScheduledPublish.Time? {
        guard let node = body[name] else { return nil }
        guard let text = node.stringValue, let time = Date(timestamp: text) else {
            throw .invalidArgument(
                "\(name) is not a time in the format of RFC 3339 with an offset: send one such as "
                    + "2026-12-01T09:00:00+01:00.")
        }
        guard time > date else {
            throw .invalidArgument("\(name) has passed: send a time in the future.")
        }
        guard time.timeIntervalSince(date) <= TemplateStoreLimits.schedulingHorizon else {
            throw .invalidArgument("\(name) is too far ahead: send a time within two years.")
        }
        return .init(date: time, text: text)
    }

    /// The IANA name of a time zone; nil for null.
    static func zone(in body: JSONNode) throws(RequestError) -> String? {
        guard let node = body["zone"], node != .null else { return nil }
        guard let name = node.stringValue, isZone(name) else {
            throw .invalidArgument(
                "zone is not the name of a time zone: send one of the IANA time zone database, such "
                    + "as Europe/Berlin.")
        }
        return name
    }

    /// True for an IANA name, and not for abbreviations such as CET, which stand for several zones.
    private static func isZone(_ name: String) -> Bool {
        guard name.utf8.count <= 64, name.wholeMatch(of: #/[A-Za-z0-9_+\/-]+/#) != nil,
            name.utf8.elementsEqual("UTC".utf8) || name.utf8.contains(UInt8(ascii: "/"))
        else { return false }
        return TimeZone(identifier: name) != nil
    }

    /// - Throws: A ``RequestError`` with status 400 when the offset is not the one that the zone has
    ///   at this local time, which may not exist when the clocks go forward.
    private static func check(
        _ given: ScheduledPublish.Time, named name: String, in zone: TimeZone
    ) throws(RequestError) {
        let (time, offset) = (given.date, offset(in: given.text))
        if zone.secondsFromGMT(for: time) == offset { return }
        let local = time + Double(offset)
        let (before, after) = (
            zone.secondsFromGMT(for: local - 86_400), zone.secondsFromGMT(for: local + 86_400)
        )
        for known in [before, after] where zone.secondsFromGMT(for: local - Double(known)) == known
        {
            throw .invalidArgument(
                "\(name) has an offset that \(zone.identifier) does not have then: send "
                    + "\((local - Double(known)).text(offset: known)) for this local time.")
        }
        let next = firstTime(after: local - Double(after), in: zone)
        throw .invalidArgument(
            "\(name) does not exist in \(zone.identifier), where the clocks go forward then: the "
                + "next time is \(next.text(offset: zone.secondsFromGMT(for: next))).")
    }

    /// The change of the offset within a day of a time.
    private static func firstTime(after time: Date, in zone: TimeZone) -> Date {
        var (low, high) = (time - 86_400, time + 86_400)
        let before = zone.secondsFromGMT(for: low)
        while high.timeIntervalSince(low) > 1 {
            let middle = low + (high.timeIntervalSince(low) / 2).rounded(.down)
            if zone.secondsFromGMT(for: middle) == before { low = middle } else { high = middle }
        }
        return high
    }

    /// The offset at the end of a time in the format of RFC 3339, in seconds.
    private static func offset(in text: String) -> Int {
        let sign = text.utf8.suffix(6)
        guard let first = sign.first, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(first) else {
            return 0
        }
        let numbers = text.suffix(5).split(separator: ":").compactMap { Int($0) }
        guard numbers.count == 2 else { return 0 }
        let seconds = (numbers[0] * 60 + numbers[1]) * 60
        return first == UInt8(ascii: "-") ? -seconds : seconds
    }
}

extension Date {
    /// The time in the format of RFC 3339 with an offset in seconds.
    fileprivate func text(offset: Int) -> String {
        let local = (self + Double(offset)).formatted(Date.ISO8601FormatStyle()).dropLast()
        let minutes = abs(offset) / 60
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return local + (offset < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
    }
}
