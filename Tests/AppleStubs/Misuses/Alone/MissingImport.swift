import Foundation

#if canImport(Glibc)
    #error("Apple's platforms have no Glibc.")
#endif

func hash(_ data: Data) -> String { "\(SHA256.hash(data: data))" }  // misuse
