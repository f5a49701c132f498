// What the examples of README and articles take for granted; see compile.sh.
import ActiveConfig
import ActiveConfigTesting
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let folder = URL(filePath: "/tmp/ActiveConfigExamples")
let server = URL(filePath: "/")
let downloader = ScriptedDownloader()
let config = ActiveConfig.make()

func temporaryFolder() -> URL { folder }
