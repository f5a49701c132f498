#if canImport(FoundationNetworking)
    #if canImport(Glibc)
        import Glibc
    #endif

    /// OpenSSL, which Foundation uses for TLS on Linux with glibc.
    enum OpenSSL {
        /// Keeps OpenSSL from freeing what it holds when the process exits, unless it is in use already.
        ///
        /// Foundation's threads go on until the end of `exit`: without this, a process that exits while
        /// one of them connects may end with SIGSEGV (swift-corelibs-foundation, issue 5469; toolchains
        /// with its pull request 5474 do the same). OpenSSL frees nothing by itself from version 4.0 on.
        /// This holds for the whole process: functions given to `OPENSSL_atexit` are not called either.
        static func stayUntilExit() { registration }

        private static let registration: Void = {
            #if canImport(Glibc)
                typealias Initialize = @convention(c) (_ options: UInt64, OpaquePointer?) -> CInt
                let noAtExit: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
                // nil is RTLD_DEFAULT. Another library that Foundation was built with has no such function.
                guard let symbol = unsafe dlsym(nil, "OPENSSL_init_crypto") else { return }
                let initialize = unsafe unsafeBitCast(symbol, to: Initialize.self)
                _ = initialize(noAtExit, nil)
            #endif
        }()
    }
#endif
