/// A version of etcd.
struct EtcdVersion: Comparable {
    private let (major, minor, patch): (Int, Int, Int)

    init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// Nil unless the text has the form `3.5.1`.
    init?(_ text: String) {
        let numbers = text.split(separator: "-")[0].split(separator: ".").map { Int($0) }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1],
            let patch = numbers[2]
        else { return nil }
        self.init(major, minor, patch)
    }

    static func < (left: EtcdVersion, right: EtcdVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// The known fault of the version and what to do, as a predicate after the version's name; nil
    /// when none is known.
    var advice: String? {
        if self < EtcdVersion(3, 4, 0) {
            return "is older than any version tested with this program: upgrade to 3.5 or later"
        }
        if self < EtcdVersion(3, 4, 31) {
            return
                "is past its end of life, and may lose events of slow watches: upgrade to 3.5 or "
                + "later"
        }
        if self < EtcdVersion(3, 5, 0) { return "is past its end of life: upgrade to 3.5 or later" }
        if self < EtcdVersion(3, 5, 3) {
            return "may make members differ after a crash: upgrade to 3.5.13 or later"
        }
        if self < EtcdVersion(3, 5, 13) {
            return "may lose events of slow watches: upgrade to 3.5.13 or later"
        }
        return nil
    }
}

/// The options on a command line of etcd.
struct EtcdCommandLine {
    private var options: [String: String] = [:]  // names: our own literals, in ASCII

    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            let parts = argument.drop { $0 == "-" }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard argument.hasPrefix("-"), let name = parts.first else { continue }
            if parts.count == 2 {
                options[String(name)] = String(parts[1])
            } else if let value = rest.first, !value.hasPrefix("-") {
                options[String(name)] = value
                rest.removeFirst()
            } else {
                options[String(name)] = "true"
            }
        }
    }

    /// False when the options are in the environment or in a configuration file instead.
    var isWhole: Bool { !options.isEmpty && options["config-file"] == nil }

    subscript(name: String) -> String? { options[name] }
}
