import ActiveConfig
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// In-memory file system that records its calls, injects faults and models losses of power.
///
/// A call can fail, be the last one of the process, be skipped, or take effect too late. After a
/// loss of power each name in a folder refers to any of the nodes to which it has referred since
/// the folder was synchronized, independently of the other names. A file that was not synchronized
/// is then empty, truncated or whole. A folder that is lost takes its contents along.
final class ModelFileSystem: Sendable {
    /// Faults to inject; calls are numbered from 0.
    struct Faults {
        /// Call that fails without taking effect.
        var failing: Int?
        /// Error of the call that fails.
        var error = EIO
        /// First call that the killed process no longer makes.
        var ending: Int?
        /// Call that has no effect although it reports success.
        var leftOut: Int?
        /// Call that takes effect only after the call `behind`.
        var moved: (call: Int, behind: Int)?
    }

    struct File {
        var data = Data()
        var isSynchronized = false
        var protection: FileDefaultsStore.FileProtection?
    }

    enum Node: Hashable {
        case file(Int)
        case folder
    }

    struct Folder {
        var nodes: [String: Node] = [:]
        /// Nodes to which each name has referred since the folder was last synchronized, oldest
        /// first.
        var history: [String: [Node?]] = [:]
        var isExcludedFromBackup = false

        mutating func set(_ name: String, _ node: Node?) {
            history[name, default: [nodes[name]]].append(node)
            nodes[name] = node
        }
    }

    struct Descriptor {
        let path: String
        /// Index of the file; nil for a folder.
        let file: Int?
        var offset = 0
    }

    struct State {
        var files: [File] = []
        var folders: [String: Folder] = ["/": Folder()]
        var descriptors: [Int32: Descriptor] = [:]
        var nextDescriptor: Int32 = 3
        var locked: Set<Int> = []
        var isDeviceLocked = false

        // The rest of the state belongs to the calls, not to the files.
        var calls: [String] = []
        /// Bytes read of each file, by path.
        var readCounts: [String: Int] = [:]
        var faults = Faults()
        var postponed: (@Sendable (inout State) throws(SystemCallError) -> Void)?
    }

    let state: Locked<State>

    init() { state = Locked(State()) }

    private init(_ state: State) {
        var state = state
        // Descriptors and locks end with the process.
        state.descriptors = [:]
        state.locked = []
        state.calls = []
        state.faults = Faults()
        state.postponed = nil
        self.state = Locked(state)
    }

    /// The calls so far, each with the names it refers to.
    var calls: [String] { state.withLock { $0.calls } }

    /// Bytes read of each file since the previous call of this function, by file name.
    func takeReadCounts() -> [String: Int] {
        state.withLock { state in
            defer { state.readCounts = [:] }
            return Dictionary(
                state.readCounts.map { (Self.name(of: $0.key), $0.value) }, uniquingKeysWith: +)
        }
    }

    /// Copy of the files for another process, in which `faults` occur.
    func reopened(_ faults: Faults = Faults()) -> ModelFileSystem {
        let copy = ModelFileSystem(state.withLock { $0 })
        copy.state.withLock { $0.faults = faults }
        return copy
    }

    /// Copy of the files with everything synchronized.
    func settled() -> ModelFileSystem {
        let copy = reopened()
        copy.state.withLock { $0.settle() }
        return copy
    }

    /// Runs a postponed call, unless the process has ended before it.
    func finish() {
        state.withLock { state in
            if state.calls.count <= state.faults.ending ?? .max { state.makePostponed() }
        }
    }

    /// All states that may be left after a loss of power.
    func powerLosses() -> [ModelFileSystem] {
        let state = state.withLock { $0 }
        var outcomes = [state]
        for (path, folder) in state.folders {
            for (name, history) in folder.history {
                outcomes = Set(history).flatMap { node in
                    outcomes.map { outcome in
                        var outcome = outcome
                        outcome.folders[path]?.nodes[name] = node
                        return outcome
                    }
                }
            }
        }
        let isWhole = state.files.allSatisfy(\.isSynchronized)
        return outcomes.flatMap { outcome in
            (isWhole ? [2] : [0, 1, 2]).map { halves in
                var outcome = outcome
                for index in outcome.files.indices where !outcome.files[index].isSynchronized {
                    let count = outcome.files[index].data.count * halves / 2
                    outcome.files[index].data = outcome.files[index].data.prefix(count)
                }
                outcome.settle()
                return ModelFileSystem(outcome)
            }
        }
    }

    /// Sorted names in a folder.
    func names(in path: String) -> [String] {
        state.withLock { $0.folders[path]?.nodes.keys.sorted() ?? [] }
    }

    func protection(of path: String) -> FileDefaultsStore.FileProtection? {
        state.withLock { state in state.file(at: path).flatMap { state.files[$0].protection } }
    }

    func isExcludedFromBackup(_ path: String) -> Bool {
        state.withLock { $0.folders[path]?.isExcludedFromBackup ?? false }
    }

    private static let damage = Data("garbage".utf8)

    /// Overwrites a file, or puts a damaged one in its place, without recording a call.
    func damage(_ path: String, asAnotherFile: Bool = false) {
        state.withLock { state in
            guard let file = state.file(at: path) else { return }
            if !asAnotherFile {
                state.files[file].data = Self.damage
            } else {
                state.files.append(File(data: Self.damage, isSynchronized: true))
                try? state.set(path, .file(state.files.count - 1))
            }
        }
    }

    /// True when a reader has put aside a file that ``damage(_:)`` has not overwritten.
    var hasTornFile: Bool {
        state.withLock { state in
            state.folders.values.contains { folder in
                folder.nodes.contains { name, node in
                    guard case .file(let file) = node else { return false }
                    return name.hasSuffix(".damaged") && state.files[file].data != Self.damage
                }
            }
        }
    }

    /// While the device is locked, protected files cannot be opened for reading, and no file can be
    /// given a protection.
    func setDeviceLocked(_ isLocked: Bool) {
        state.withLock { $0.isDeviceLocked = isLocked }
    }
}

extension ModelFileSystem.State {
    /// Records a call, and throws if the process has ended or the call is to fail.
    mutating func begin(_ name: String) throws(SystemCallError) {
        let number = calls.count
        calls.append(name)
        if let ending = faults.ending, number >= ending { throw SystemCallError(EIO) }
        if let behind = faults.moved?.behind, number > behind { makePostponed() }
        if faults.failing == number { throw SystemCallError(faults.error) }
    }

    /// Runs the call that was postponed.
    mutating func makePostponed() {
        try? postponed?(&self)
        postponed = nil
    }

    /// Synchronizes everything.
    mutating func settle() {
        for path in folders.keys { folders[path]?.history = [:] }
        for index in files.indices { files[index].isSynchronized = true }
    }

    /// Node at a path; nil when its last name does not exist.
    func node(at path: String) throws(SystemCallError) -> ModelFileSystem.Node? {
        if path == "/" { return .folder }
        let (parent, name) = Self.split(path)
        guard let folder = folders[parent], try node(at: parent) == .folder else {
            throw SystemCallError(ENOENT)
        }
        return name == "." ? .folder : folder.nodes[name]
    }

    /// Index of the file at a path.
    func file(at path: String) -> Int? {
        guard case .file(let number)? = try? node(at: path) else { return nil }
        return number
    }

    mutating func set(
        _ path: String, _ node: ModelFileSystem.Node?
    ) throws(SystemCallError) {
        _ = try self.node(at: path)
        let (parent, name) = Self.split(path)
        folders[parent]?.set(name, node)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[slash...].dropFirst()))
    }
}
