// Imports and declarations that the examples in README and articles assume; see compile.sh.
import ActiveConfig
import ActiveConfigJSON
import ActiveConfigTesting
import Foundation
import Observation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let folder = URL(filePath: "/tmp/ActiveConfigExamples")
let server = URL(filePath: "/")
let downloader = ScriptedDownloader()
let config = ActiveConfig.make()

func temporaryFolder() -> URL { folder }
