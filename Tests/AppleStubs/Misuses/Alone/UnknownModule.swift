#if canImport(TVServices)  // misuse
    import TVServices
#endif
