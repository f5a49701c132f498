import ActiveConfig
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file system in memory that records each call, can fail at one, end before one, leave one out or
/// make it too late, and knows what a loss of power may undo.
///
/// After a loss of power each name in a folder stands for any of the files that it stood for since the
/// folder was synchronized, each independent of the others; a file that was not synchronized is
/// empty, cut or whole. A folder that is gone takes all below along.
final class ModelFileSystem: Sendable {
    /// What goes wrong, at calls that are counted from 0.
    struct Faults {
        /// The call that fails, and has no effect.
        var failing: Int?
        /// Its error.
        var error = EIO
        /// The call before which the process ends.
        var ending: Int?
        /// The call that has no effect, which nobody is told.
        var leftOut: Int?
        /// The call that has its effect only after another one.
        var moved: (call: Int, behind: Int)?
    }

    struct File {
        var data = Data()
        var isSynchronized = false
        var protection: FileDefaultsStore.FileProtection?
    }

    /// What a name stands for.
    enum Node: Hashable {
        case file(Int)
        case folder
    }

    struct Folder {
        var nodes: [String: Node] = [:]
        /// What each name has stood for since the folder was synchronized, from then on.
        var history: [String: [Node?]] = [:]
        var isExcludedFromBackup = false

        mutating func set(_ name: String, _ node: Node?) {
            history[name, default: [nodes[name]]].append(node)
            nodes[name] = node
        }
    }

    /// What a descriptor is open for.
    struct Descriptor {
        let path: String
        /// The number of the file; nil for a folder.
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

        // What follows is about the calls and not about the files.
        var calls: [String] = []
        /// The bytes that were read of each file, by its path.
        var readCounts: [String: Int] = [:]
        var faults = Faults()
        var postponed: (@Sendable (inout State) throws(SystemCallError) -> Void)?
    }

    let state: Locked<State>

    init() { state = Locked(State()) }

    private init(_ state: State) {
        var state = state
        // What was open went with the process.
        state.descriptors = [:]
        state.locked = []
        state.calls = []
        state.faults = Faults()
        state.postponed = nil
        self.state = Locked(state)
    }

    /// The calls so far, each with the names it is about.
    var calls: [String] { state.withLock { $0.calls } }

    /// The bytes that were read of each file since the last call, by the file's name.
    func takeReadCounts() -> [String: Int] {
        state.withLock { state in
            defer { state.readCounts = [:] }
            return Dictionary(
                state.readCounts.map { (Self.name(of: $0.key), $0.value) }, uniquingKeysWith: +)
        }
    }

    /// The files as they are, for another process, in which something may go wrong.
    func reopened(_ faults: Faults = Faults()) -> ModelFileSystem {
        let copy = ModelFileSystem(state.withLock { $0 })
        copy.state.withLock { $0.faults = faults }
        return copy
    }

    /// The files as they are, all of them on the medium, as they are after a while.
    func settled() -> ModelFileSystem {
        let copy = reopened()
        copy.state.withLock { $0.settle() }
        return copy
    }

    /// Makes a call that was moved behind the last one, unless the process has ended.
    func finish() {
        state.withLock { state in
            if state.calls.count <= state.faults.ending ?? .max { state.makePostponed() }
        }
    }

    /// All that may be left after a loss of power.
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

    /// The names of the files in a folder, sorted.
    func names(in path: String) -> [String] {
        state.withLock { $0.folders[path]?.nodes.keys.sorted() ?? [] }
    }

    /// The class of protection of a file.
    func protection(of path: String) -> FileDefaultsStore.FileProtection? {
        state.withLock { state in state.file(at: path).flatMap { state.files[$0].protection } }
    }

    /// Whether a folder was left out of backups.
    func isExcludedFromBackup(_ path: String) -> Bool {
        state.withLock { $0.folders[path]?.isExcludedFromBackup ?? false }
    }

    /// Replaces the content of a file behind everybody's back.
    func damage(_ path: String) {
        state.withLock { state in
            guard let file = state.file(at: path) else { return }
            state.files[file].data = Data("garbage".utf8)
        }
    }

    /// Whether files that are protected can be read and made.
    func setDeviceLocked(_ isLocked: Bool) {
        state.withLock { $0.isDeviceLocked = isLocked }
    }
}

extension ModelFileSystem.State {
    /// Counts a call, and throws when it is to fail.
    mutating func begin(_ name: String) throws(SystemCallError) {
        let number = calls.count
        calls.append(name)
        if let ending = faults.ending, number >= ending { throw SystemCallError(EIO) }
        if let behind = faults.moved?.behind, number > behind { makePostponed() }
        if faults.failing == number { throw SystemCallError(faults.error) }
    }

    /// Makes the call that was moved.
    mutating func makePostponed() {
        try? postponed?(&self)
        postponed = nil
    }

    /// Brings all to the medium.
    mutating func settle() {
        for path in folders.keys { folders[path]?.history = [:] }
        for index in files.indices { files[index].isSynchronized = true }
    }

    /// What a path stands for; nil when the last name is free.
    func node(at path: String) throws(SystemCallError) -> ModelFileSystem.Node? {
        if path == "/" { return .folder }
        let (parent, name) = Self.split(path)
        guard let folder = folders[parent], try node(at: parent) == .folder else {
            throw SystemCallError(ENOENT)
        }
        return name == "." ? .folder : folder.nodes[name]
    }

    /// The number of a file.
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
