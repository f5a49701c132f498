import ActiveConfig
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ModelFileSystem: FileSystem {
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
        state.withLock { $0.descriptors[file] = nil }
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
            // Returns one byte less than requested, as a real `read` may do.
            let count = max(1, bytes.count - 1)
            let data = state.files[file].data.dropFirst(descriptor.offset).prefix(count)
            descriptor.offset += data.count
            state.readCounts[descriptor.path, default: 0] += data.count
            return Data(data)
        }
        unsafe bytes.copyBytes(from: data)
        return data.count
    }

    func writeFile(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int {
        // Writes half of the bytes, as a real `write` may do.
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

    func unlockFile(_ file: Int32) {
        state.withLock { state in
            guard let number = state.descriptors[file]?.file else { return }
            state.locked.remove(number)
        }
    }

    func renameFile(at path: String, to newPath: String) throws(SystemCallError) {
        let names = "\(Self.name(of: path)) to \(Self.name(of: newPath))"
        try effect("rename \(names)") { state throws(SystemCallError) in
            guard let node = try state.node(at: path) else { throw SystemCallError(ENOENT) }
            // Renaming one of two names of a file to the other keeps both, as POSIX requires.
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

    static func name(of path: String) -> String {
        path == "/" ? path : String(path.split(separator: "/").last ?? "")
    }

    /// Records a call, which may fail, and runs its body.
    private func call<Result>(
        _ name: String, _ body: (inout State) throws(SystemCallError) -> sending Result
    ) throws(SystemCallError) -> sending Result {
        try state.withLock { state throws(SystemCallError) in
            try state.begin(name)
            return try body(&state)
        }
    }

    /// Records a call on an open descriptor, which may fail, and runs its body.
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

    /// Records a call without a result, whose body may also be skipped or postponed.
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
