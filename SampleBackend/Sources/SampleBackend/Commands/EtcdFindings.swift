import EtcdTemplateStore
import Foundation

/// The findings of `doctor` about an etcd cluster.
struct EtcdFindings {
    /// The quota of a member that is started without one, in bytes.
    private static let defaultQuota: Int64 = 2 << 30

    /// Duration of a read or a write above which a warning is given.
    private static let slow: Duration = .milliseconds(500)

    /// Minimum request size that a member must accept, in bytes: a write has one part of a content.
    private static let neededRequest = 1_200_000

    let status: EtcdStatus

    private var answers: [(address: String, member: EtcdStatus.Member)] {
        status.members.compactMap { address, answer in
            (try? answer.get()).map { (address, $0) }
        }
    }

    var all: [DoctorFinding] {
        // What else fails without a majority fails for that reason.
        if !status.hasLeader { return members + [cluster] + speed }
        return members + [cluster] + versions + alarms + quotas + options + history + [store]
            + speed
    }

    /// Each member, with its version, its role and its size.
    private var members: [DoctorFinding] {
        status.members.map { address, answer in
            switch answer {
            case .failure(let error):
                DoctorFinding(
                    "etcd member", .warning,
                    "\(address) does not answer (\(error)): start it, or remove it from --store")
            case .success(let member):
                DoctorFinding(
                    "etcd member", member.complaints.isEmpty ? .fine : .warning,
                    "\(address) runs \(member.version)"
                        + (member.leader == member.id ? ", leads" : "")
                        + ", has a database of \(Self.size(member.size)), "
                        + "\(Self.size(member.sizeInUse)) used"
                        + (member.complaints.isEmpty
                            ? "" : ", and reports: \(member.complaints.joined(separator: "; "))"))
            }
        }
    }

    /// The quorum, the leader and the number of members.
    private var cluster: DoctorFinding {
        let subject = "etcd cluster"
        guard let first = answers.first?.member else {
            return DoctorFinding(
                subject, .failed, "no member answers: start the members, and check --store")
        }
        let clusters = Set(answers.map(\.member.clusterID))
        guard clusters.count == 1 else {
            let names = answers.map {
                "\($0.address) is of \(Self.hexadecimal($0.member.clusterID))"
            }
            return DoctorFinding(
                subject, .failed,
                "the members of --store belong to several clusters, "
                    + "\(names.joined(separator: ", ")): give those of one")
        }
        guard status.hasLeader else { return DoctorFinding(subject, .failed, lostMajority) }
        let name = "its identifier is \(Self.hexadecimal(first.clusterID))"
        guard let count = status.memberCount else {
            return DoctorFinding(subject, .fine, name)
        }
        let named = status.members.count
        let members = "\(count) \(count == 1 ? "member" : "members")"
        if count == 1 {
            return DoctorFinding(
                subject, .warning,
                "\(name), and it has one member, so it survives no failure: run three")
        }
        if count.isMultiple(of: 2) {
            return DoctorFinding(
                subject, .warning,
                "\(name), and it has \(members), which survive no more failures than "
                    + "\(count - 1) would: add one"
            )
        }
        if named < count {
            return DoctorFinding(
                subject, .warning,
                "\(name), and it has \(members), but --store names \(named): name all, or this "
                    + "server stops with those")
        }
        return DoctorFinding(subject, .fine, "\(name), and it has \(members)")
    }

    /// The number of members that run and that are needed, and those to start.
    private var lostMajority: String {
        let count = status.memberCount ?? status.members.count
        let (running, needed) = (answers.count, count / 2 + 1)
        let numbers =
            "\(running) of \(count) members \(running == 1 ? "runs" : "run"), \(needed) are needed"
        guard running < needed else {
            return "\(numbers), but they have no leader: check that they reach each other at their "
                + "peer addresses, or wait some seconds for an election"
        }
        let silent = status.members.filter { (try? $0.answer.get()) == nil }.map(\.address)
        return "\(numbers): start \((silent + status.otherAddresses).joined(separator: " and "))"
    }

    /// Members whose version is unmaintained, loses data, or differs from the others'.
    private var versions: [DoctorFinding] {
        let versions = Set(answers.map(\.member.version))
        var findings: [DoctorFinding] = []
        for version in versions.sorted() {
            if let advice = EtcdVersion(version)?.advice {
                findings.append(DoctorFinding("etcd version", .warning, "\(version) \(advice)"))
            }
        }
        if versions.count > 1 {
            findings.append(
                DoctorFinding(
                    "etcd version", .warning,
                    "the members run \(versions.sorted().joined(separator: " and ")): upgrade all to one"
                )
            )
        }
        return findings
    }

    private var alarms: [DoctorFinding] {
        guard let alarms = status.alarms else {
            // The failure of the store says it already.
            guard case .success = status.store else { return [] }
            return [
                DoctorFinding(
                    "etcd alarms", .warning,
                    "they cannot be read: let the user of --store read them, or see \"etcdctl alarm "
                        + "list\"")
            ]
        }
        return alarms.sorted().map { alarm in
            switch alarm {
            case "NOSPACE":
                DoctorFinding(
                    "etcd alarms", .failed,
                    "NOSPACE: the quota is used up and nothing is stored: compact, defragment each "
                        + "member, raise --quota-backend-bytes, then \"etcdctl alarm disarm\"")
            case "CORRUPT":
                DoctorFinding(
                    "etcd alarms", .failed,
                    "CORRUPT: the members have different data: stop the one that is wrong, remove it, "
                        + "and add it again empty")
            default: DoctorFinding("etcd alarms", .failed, "\(alarm): see etcd's documentation")
            }
        }
    }

    /// The used share of each quota.
    private var quotas: [DoctorFinding] {
        answers.map { address, member in
            let quota = member.quota ?? Self.defaultQuota
            let used = Int(Double(member.size) / Double(quota) * 100)
            let name =
                member.quota == nil
                ? "if its quota is the default" : "of \(Self.size(quota))"
            return used < 70
                ? DoctorFinding("etcd quota", .fine, "\(address) has used \(used) %, \(name)")
                : DoctorFinding(
                    "etcd quota", .warning,
                    "\(address) has used \(used) %, \(name): compact and defragment it, or raise "
                        + "--quota-backend-bytes")
        }
    }

    /// The options of the members, as far as their command lines have them.
    private var options: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        for (address, member) in answers {
            guard let line = member.commandLine.map(EtcdCommandLine.init), line.isWhole else {
                findings.append(
                    DoctorFinding(
                        "etcd options", .fine,
                        "\(address) does not show them; check that it has \(Self.wantedOptions)"))
                continue
            }
            let isOld = EtcdVersion(member.version).map { $0 < EtcdVersion(3, 5, 0) } ?? false
            if isOld, line["pre-vote"] == nil || line["pre-vote"] == "false" {
                findings.append(
                    DoctorFinding(
                        "etcd options", .warning,
                        "the command line of \(address) has no --pre-vote: add it, otherwise a "
                            + "member that rejoins forces a leader election"))
            }
            if line["auto-compaction-retention"] ?? "0" == "0" {
                findings.append(
                    DoctorFinding(
                        "etcd options", .warning,
                        "the command line of \(address) has no --auto-compaction-retention: add "
                            + "--auto-compaction-mode=periodic --auto-compaction-retention=1h, or its "
                            + "database grows until the quota is used up"))
            }
            if let bytes = line["max-request-bytes"].flatMap({ Int($0) }),
                bytes < Self.neededRequest
            {
                findings.append(
                    DoctorFinding(
                        "etcd options", .failed,
                        "\(address) accepts requests of \(bytes) bytes, and a part of a template "
                            + "has 1,000,000: remove --max-request-bytes"))
            }
        }
        return findings
    }

    private static let wantedOptions =
        "--pre-vote --auto-compaction-mode=periodic --auto-compaction-retention=1h"

    /// Reports a history that was never compacted.
    private var history: [DoctorFinding] {
        let uncompacted = answers.filter { $0.member.compactRevision == 0 }
        guard !uncompacted.isEmpty else { return [] }
        return [
            DoctorFinding(
                "etcd history", .fine,
                "it was never compacted since \(uncompacted[0].address) was started")
        ]
    }

    private var store: DoctorFinding {
        let subject = "store"
        switch status.store {
        case .failure(let error): return DoctorFinding(subject, .failed, "\(error)")
        case .success(nil):
            return DoctorFinding(
                subject, .warning,
                "there is none below the prefix: \"sample-backend serve\" creates one, and "
                    + "\"sample-backend copy\" copies one there")
        case .success(let store?):
            if store.isIncomplete {
                return DoctorFinding(
                    subject, .failed,
                    "it is the incomplete result of a copy that was interrupted: remove its keys with "
                        + "\"etcdctl del --prefix\", and copy again")
            }
            return DoctorFinding(
                subject, .fine,
                "its identifier is \(store.id), its schema \(store.schema); it has "
                    + "\(store.changeCount) changes and \(store.keyCount) keys")
        }
    }

    /// The durations of a read and of a write.
    private var speed: [DoctorFinding] {
        [("read", status.readTime), ("write", status.writeTime)].map { name, result in
            switch result {
            case .failure(let error): DoctorFinding("etcd \(name)", .failed, "\(error)")
            case .success(let time):
                time < Self.slow
                    ? DoctorFinding("etcd \(name)", .fine, "it took \(Self.milliseconds(time))")
                    : DoctorFinding(
                        "etcd \(name)", .warning,
                        "it took \(Self.milliseconds(time)): check the disks of the members and the "
                            + "network between them")
            }
        }
    }

    private static func size(_ bytes: Int64) -> String {
        bytes < 10_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB"
    }

    private static func milliseconds(_ time: Duration) -> String {
        "\(Double(Int(time / .microseconds(100))) / 10) ms"
    }

    private static func hexadecimal(_ id: UInt64) -> String { String(id, radix: 16) }
}
