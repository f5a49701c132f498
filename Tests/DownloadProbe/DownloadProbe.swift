import ActiveConfig
import ActiveConfigRealtime
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Process that uses a ``JSONURLDownloader``, so that tests can observe crashes and memory use.
///
/// - `get URL TIMEOUT`: downloads once, with a timeout in milliseconds or `-` for 60 s. It then
///   waits for a line or for the end of standard input.
/// - `cancel URL COUNT`: starts COUNT downloads one after the other, and cancels each after a
///   different delay, from 0 to 3 ms.
/// - `together URL COUNT`: downloads COUNT times, eight at a time.
/// - `leave URL COUNT`: starts COUNT downloads at once and exits within 20 ms, while they connect.
/// - `stream URL SECONDS`: opens a user's stream of the backend at URL, lets it idle, and prints
///   `cpu`, the processor time used in thousandths of a core, or how the stream ended.
/// - `connect URL COUNT`: opens COUNT streams one after the other, closes each after a different
///   delay, from 0 to 3 ms, and prints `files`, the increase in open files.
/// - `override -ActiveConfigOverride TEXT`: reads `Home.columns`, whose default is 1.
///
/// It prints the count of each kind of outcome, then the greatest resident size in MiB, as in
/// `httpStatus 401: 1` and `peak: 24`. With other arguments it exits with status 64.
@main
enum DownloadProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let url = URL(string: arguments[2]) else { exit(64) }
        var outcomes: [String: Int] = [:]
        switch arguments[1] {
        case "get":
            let timeout = Int(arguments[3]).map { Duration.milliseconds($0) } ?? .seconds(60)
            let downloader = JSONURLDownloader(timeout: timeout) { _ in URLRequest(url: url) }
            say("\(await outcome(of: downloader)): 1")
            _ = readLine()
        case "cancel":
            let downloader = JSONURLDownloader(timeout: .seconds(60)) { _ in URLRequest(url: url) }
            for round in 0..<(Int(arguments[3]) ?? 0) {
                let download = Task { await outcome(of: downloader) }
                // The delays cover the connection, the head and the end of an answer on loopback.
                // deadline: the fault comes at another moment each time
                try? await Task.sleep(for: .microseconds(round % 60 * 50))
                download.cancel()
                outcomes[await download.value, default: 0] += 1
            }
        case "together":
            let downloader = JSONURLDownloader(timeout: .seconds(60)) { _ in URLRequest(url: url) }
            let count = Int(arguments[3]) ?? 0
            outcomes = await withTaskGroup(of: [String].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var own: [String] = []
                        for _ in 0..<(count / 8) { own.append(await outcome(of: downloader)) }
                        return own
                    }
                }
                var sum: [String: Int] = [:]
                for await own in group { for outcome in own { sum[outcome, default: 0] += 1 } }
                return sum
            }
        case "leave":
            let downloader = JSONURLDownloader(timeout: .seconds(60)) { _ in URLRequest(url: url) }
            for _ in 0..<(Int(arguments[3]) ?? 0) { Task { await outcome(of: downloader) } }
            // deadline: it ends at a random moment
            try? await Task.sleep(for: .microseconds(Int.random(in: 0...20_000)))
        case "stream":
            outcomes = await idle(on: url, seconds: Double(arguments[3]) ?? 1)
        case "connect":
            outcomes = await connect(to: url, count: Int(arguments[3]) ?? 0)
        case "override":
            let config = ActiveConfig(
                configDownloader: JSONURLDownloader { _ in URLRequest(url: url) })
            outcomes["columns"] = config[SettingKey("Home", "columns", default: 1)]
        default: exit(64)
        }
        for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) {
            say("\(outcome): \(count)")
        }
        say("peak: \(peakMemory)")
    }

    private static func idle(on url: URL, seconds: Double) async -> [String: Int] {
        let source = URLSessionEventSource(backend: ActiveConfigBackend(url: url))
        let connection = source.connection(forUserID: "1")
        let idle = Locked<(begin: clock_t, end: clock_t?)?>(nil)
        let reader = Task {
            _ = try await connection.document(lastKnown: nil, wait: nil)
            try await connection.openEvents(lastEventID: "1")
            _ = try await connection.nextEvent()
            idle.withLock { $0 = (clock(), nil) }
            let closing = Task {
                try await Task.sleep(for: .seconds(seconds))  // deadline: the time that is measured
                idle.withLock { $0?.end = clock() }
                connection.close()
            }
            defer { closing.cancel() }
            while try await connection.nextEvent() != nil {}
        }
        let result = await reader.result
        guard case (let begin, let end?)? = idle.withLock({ $0 }) else {
            switch result {
            case .success: return ["ended": 1]
            case .failure(let error as DownloadError): return [error.code.description: 1]
            case .failure(let error): return ["\(error)": 1]
            }
        }
        let used = Double(end - begin) / Double(CLOCKS_PER_SEC)
        return ["cpu": Int(used / seconds * 1_000)]
    }

    private static func connect(to url: URL, count: Int) async -> [String: Int] {
        let source = URLSessionEventSource(backend: ActiveConfigBackend(url: url))
        var outcomes: [String: Int] = [:]
        var before = 0
        for round in 0..<count {
            // Permanent descriptors are open by then.
            if round == count / 10 { before = openFileCount }
            let connection = source.connection(forUserID: "1")
            let closing = Task {
                // deadline: the fault comes at another moment each time
                try await Task.sleep(for: .microseconds(round % 60 * 50))
                connection.close()
            }
            do {
                _ = try await connection.document(lastKnown: nil, wait: nil)
                try await connection.openEvents(lastEventID: nil)
                while try await connection.nextEvent() != nil {}
                outcomes["ended", default: 0] += 1
            } catch is CancellationError {
                outcomes["cancelled", default: 0] += 1
            } catch {
                outcomes["\(error)", default: 0] += 1
            }
            _ = await closing.result
        }
        // Closed sessions release their files shortly afterwards.
        for _ in 0..<60 where openFileCount - before > 30 {  // deadline: a minute, for a leak alone
            try? await Task.sleep(for: .seconds(1))  // deadline: a part of that minute
        }
        outcomes["files"] = openFileCount - before
        return outcomes
    }

    private static var openFileCount: Int {
        let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return files?.count ?? 0
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Kind of the outcome of one download.
    private static func outcome(of downloader: JSONURLDownloader) async -> String {
        do {
            let state = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
            return state == nil ? "nothing new" : "document"
        } catch let error as DownloadError {
            return error.code == .httpStatus
                ? "httpStatus \(error.status ?? 0)" : error.code.description
        } catch is ConfigurationFormatError {
            return "format"
        } catch is CancellationError {
            return "cancelled"
        } catch {
            return "\(error)"
        }
    }

    /// Greatest resident size of this process so far, in MiB.
    private static var peakMemory: Int {
        #if canImport(Darwin)
            var usage = rusage()
            unsafe getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss >> 20
        #else
            // `getrusage` includes the memory of the process before it executed this program.
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
            return (kibibytes ?? .max) >> 10
        #endif
    }
}
