#if canImport(FoundationNetworking)
    #if canImport(Glibc)
        import Glibc
    #endif

    /// OpenSSL, which Foundation uses for TLS on Linux with glibc.
    enum OpenSSL {
        /// Keeps OpenSSL from freeing its state when the process exits, unless it is already in
        /// use.
        ///
        /// Foundation's threads run until the end of `exit`: without this, a process that exits
        /// while one of them connects can end with SIGSEGV (swift-corelibs-foundation, issue 5469;
        /// toolchains with its pull request 5474 do the same). OpenSSL from version 4.0 on frees
        /// nothing by itself. The effect is process-wide: functions registered with
        /// `OPENSSL_atexit` are not called either.
        static func stayUntilExit() { registration }

        private static let registration: Void = {
            #if canImport(Glibc)
                typealias Initialize = @convention(c) (_ options: UInt64, OpaquePointer?) -> CInt
                let noAtExit: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
                // nil is RTLD_DEFAULT. A Foundation built with another TLS library has no such
                // function.
                guard let symbol = unsafe dlsym(nil, "OPENSSL_init_crypto") else { return }
                let initialize = unsafe unsafeBitCast(symbol, to: Initialize.self)
                _ = initialize(noAtExit, nil)
            #endif
        }()
    }
#endif
