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
final class ModelFileSystem: FileSystem {
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

    fileprivate struct File {
        var data = Data()
        var isSynchronized = false
        var protection: FileDefaultsStore.FileProtection?
    }

    /// What a name stands for.
    fileprivate enum Node: Hashable {
        case file(Int)
        case folder
    }

    fileprivate struct Folder {
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
    fileprivate struct Descriptor {
        let path: String
        /// The number of the file; nil for a folder.
        let file: Int?
        var offset = 0
    }

    fileprivate struct State {
        var files: [File] = []
        var folders: [String: Folder] = ["/": Folder()]
        var descriptors: [Int32: Descriptor] = [:]
        var nextDescriptor: Int32 = 3
        var locked: Set<Int> = []
        var isDeviceLocked = false

        // What follows is about the calls and not about the files.
        var calls: [String] = []
        var faults = Faults()
        var postponed: (@Sendable (inout State) throws(SystemCallError) -> Void)?
    }

    private let state: Locked<State>

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

    /// The files as they are, for another process.
    ///
    /// - Parameter faults: What goes wrong in that process.
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

    // The calls.

    func openFile(at path: String, for purpose: FilePurpose) throws(SystemCallError) -> Int32 {
        try call("open \(Self.name(of: path)) for \(purpose)") { state throws(SystemCallError) in
            if purpose == .creating {
                if try state.node(at: path) != nil { throw SystemCallError(EEXIST) }
                state.files.append(File())
                try state.set(path, .file(state.files.count - 1))
            }
            guard let node = try state.node(at: path) else { throw SystemCallError(ENOENT) }
            var descriptor = Descriptor(path: path, file: nil)
            if case .file(let file) = node {
                if state.isDeviceLocked, state.files[file].protection != nil, purpose == .reading {
                    throw SystemCallError(EPERM)
                }
                descriptor = Descriptor(path: path, file: file)
            }
            state.nextDescriptor += 1
            state.descriptors[state.nextDescriptor] = descriptor
            return state.nextDescriptor
        }
    }

    func closeFile(_ file: Int32) {
        state.withLock { state in
            if let number = state.descriptors[file]?.file { state.locked.remove(number) }
            state.descriptors[file] = nil
        }
    }

    func size(ofFile file: Int32) throws(SystemCallError) -> Int {
        try call("size", of: file) { state, descriptor throws(SystemCallError) in
            descriptor.file.map { state.files[$0].data.count } ?? 0
        }
    }

    func readFile(
        _ file: Int32, into bytes: UnsafeMutableRawBufferPointer
    ) throws(SystemCallError) -> Int {
        let data = try call("read", of: file) { state, descriptor throws(SystemCallError) in
            guard let file = descriptor.file else { throw SystemCallError(EISDIR) }
            // One byte less than asked for, as a system may.
            let count = max(1, bytes.count - 1)
            let data = state.files[file].data.dropFirst(descriptor.offset).prefix(count)
            descriptor.offset += data.count
            return Data(data)
        }
        unsafe bytes.copyBytes(from: data)
        return data.count
    }

    func writeFile(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int {
        // Half of what is left, as a system may.
        let data = unsafe Data(bytes.prefix((bytes.count + 1) / 2))
        return try call("write", of: file) { state, descriptor throws(SystemCallError) in
            guard let file = descriptor.file else { throw SystemCallError(EISDIR) }
            state.files[file].data += data
            state.files[file].isSynchronized = false
            return data.count
        }
    }

    func synchronizeFile(_ file: Int32) throws(SystemCallError) {
        let descriptor = state.withLock { $0.descriptors[file] }
        guard let descriptor else { throw SystemCallError(EBADF) }
        try effect("sync \(Self.name(of: descriptor.path))") { state throws(SystemCallError) in
            if let file = descriptor.file {
                state.files[file].isSynchronized = true
            } else {
                state.folders[descriptor.path]?.history = [:]
            }
        }
    }

    func lockFile(_ file: Int32, mayWait: Bool) throws(SystemCallError) {
        try call("lock", of: file) { state, descriptor throws(SystemCallError) in
            guard let file = descriptor.file, state.locked.insert(file).inserted else {
                throw SystemCallError(EAGAIN)
            }
        }
    }

    func renameFile(at path: String, to newPath: String) throws(SystemCallError) {
        let names = "\(Self.name(of: path)) to \(Self.name(of: newPath))"
        try effect("rename \(names)") { state throws(SystemCallError) in
            guard let node = try state.node(at: path) else { throw SystemCallError(ENOENT) }
            // Two names of one file both stay.
            if try state.node(at: newPath) == node { return }
            try state.set(newPath, node)
            try state.set(path, nil)
        }
    }

    func linkFile(at path: String, as secondPath: String) throws(SystemCallError) {
        let names = "\(Self.name(of: path)) as \(Self.name(of: secondPath))"
        try effect("link \(names)") { state throws(SystemCallError) in
            guard let node = try state.node(at: path) else { throw SystemCallError(ENOENT) }
            if try state.node(at: secondPath) != nil { throw SystemCallError(EEXIST) }
            try state.set(secondPath, node)
        }
    }

    func unlinkFile(at path: String) throws(SystemCallError) {
        try effect("unlink \(Self.name(of: path))") { state throws(SystemCallError) in
            guard try state.node(at: path) != nil else { throw SystemCallError(ENOENT) }
            try state.set(path, nil)
        }
    }

    func makeFolder(at path: String) throws(SystemCallError) {
        try effect("mkdir \(Self.name(of: path))") { state throws(SystemCallError) in
            if try state.node(at: path) != nil { throw SystemCallError(EEXIST) }
            try state.set(path, .folder)
            state.folders[path] = Folder()
        }
    }

    func fileExists(at path: String) throws(SystemCallError) -> Bool {
        try call("find \(Self.name(of: path))") { state throws(SystemCallError) in
            do throws(SystemCallError) {
                return try state.node(at: path) != nil
            } catch {
                if error.number == ENOENT { return false }
                throw error
            }
        }
    }

    func setProtection(
        _ protection: FileDefaultsStore.FileProtection, ofFileAt path: String
    ) throws(SystemCallError) {
        try call("protect \(Self.name(of: path))") { state throws(SystemCallError) in
            guard let file = state.file(at: path) else { throw SystemCallError(ENOENT) }
            if state.isDeviceLocked { throw SystemCallError(EPERM) }
            state.files[file].protection = protection
        }
    }

    func excludeFromBackup(folderAt path: String) throws(SystemCallError) {
        try call("exclude \(Self.name(of: path))") { state throws(SystemCallError) in
            state.folders[path]?.isExcludedFromBackup = true
        }
    }

    private static func name(of path: String) -> String {
        path == "/" ? path : String(path.split(separator: "/").last ?? "")
    }

    /// Makes a call, unless it goes wrong.
    private func call<Result>(
        _ name: String, _ body: (inout State) throws(SystemCallError) -> sending Result
    ) throws(SystemCallError) -> sending Result {
        try state.withLock { state throws(SystemCallError) in
            try state.begin(name)
            return try body(&state)
        }
    }

    /// Makes a call about what is open.
    private func call<Result>(
        _ name: String, of file: Int32,
        _ body: (inout State, inout Descriptor) throws(SystemCallError) -> sending Result
    ) throws(SystemCallError) -> sending Result {
        try state.withLock { state throws(SystemCallError) in
            guard var descriptor = state.descriptors[file] else { throw SystemCallError(EBADF) }
            try state.begin("\(name) \(Self.name(of: descriptor.path))")
            defer { state.descriptors[file] = descriptor }
            return try body(&state, &descriptor)
        }
    }

    /// Makes a call that gives nothing, so that it can be left out, or made too late.
    private func effect(
        _ name: String, _ body: @escaping @Sendable (inout State) throws(SystemCallError) -> Void
    ) throws(SystemCallError) {
        try state.withLock { state throws(SystemCallError) in
            let number = state.calls.count
            try state.begin(name)
            if state.faults.leftOut == number { return }
            if state.faults.moved?.call == number {
                state.postponed = body
                return
            }
            try body(&state)
        }
    }
}

extension ModelFileSystem.State {
    /// Counts a call, and throws when it is to fail.
    fileprivate mutating func begin(_ name: String) throws(SystemCallError) {
        let number = calls.count
        calls.append(name)
        if let ending = faults.ending, number >= ending { throw SystemCallError(EIO) }
        if let behind = faults.moved?.behind, number > behind { makePostponed() }
        if faults.failing == number { throw SystemCallError(faults.error) }
    }

    /// Makes the call that was moved.
    fileprivate mutating func makePostponed() {
        try? postponed?(&self)
        postponed = nil
    }

    /// Brings all to the medium.
    fileprivate mutating func settle() {
        for path in folders.keys { folders[path]?.history = [:] }
        for index in files.indices { files[index].isSynchronized = true }
    }

    /// What a path stands for; nil when the last name is free.
    fileprivate func node(at path: String) throws(SystemCallError) -> ModelFileSystem.Node? {
        if path == "/" { return .folder }
        let (parent, name) = Self.split(path)
        guard let folder = folders[parent], try node(at: parent) == .folder else {
            throw SystemCallError(ENOENT)
        }
        return name == "." ? .folder : folder.nodes[name]
    }

    /// The number of a file.
    fileprivate func file(at path: String) -> Int? {
        guard case .file(let number)? = try? node(at: path) else { return nil }
        return number
    }

    fileprivate mutating func set(
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
