import Foundation
import PageBundling
import Testing

struct PageBundleTests {
    private static let index = """
        <link rel="icon" href="icon.svg">
        <link rel="stylesheet" href="base.css">
        <link rel="stylesheet" href="list/list.css">
        <script type="module" src="main.js"></script>

        """

    private func bundle(_ sources: [String: String]) throws -> [String: String] {
        var sources = sources
        sources["index.html"] = sources["index.html"] ?? ""
        return try PageBundle.files(of: sources.mapValues { Data($0.utf8) })
            .mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test func modulesOfOneEntryBecomeOneFileWithoutComments() throws {
        let files = try bundle([
            "main.js": """
            /** Starts. */

            // Why.
            import {count, increase as more} from './list/counter.js';

            more();
            report(count()); // stays

            """,
            "list/counter.js": """
            /**
             * Counts.
             */
            let number = 0;

            /** Counts up. */
            export function increase() {
                number += 1;
            }
            export const count = () => number;
            export class Unused {}

            """,
        ])
        #expect(Set(files.keys) == ["index.html", "main.js", "style.css"])
        #expect(
            files["main.js"] == """
                const $list_counter = (() => {
                let number = 0;

                function increase() {
                    number += 1;
                }
                const count = () => number;
                class Unused {}

                return {Unused, count, increase};
                })();
                const $main = (() => {
                const {count, increase: more} = $list_counter;


                more();
                report(count()); // stays

                return {};
                })();
                export {};

                """)
    }

    @Test func modulesOnDemandAreFilesAndShareTheirCommonOnes() throws {
        let files = try bundle([
            "main.js": """
            import {a} from './a.js';
            a(import('./one/page.js'), import('./two/other.js'));

            """,
            "a.js": "export function a() {}\n",
            "common.js": "import {a} from './a.js';\nexport const common = a();\n",
            "one/page.js": "import {common} from '../common.js';\nexport const one = common;\n",
            "two/other.js": """
            import {common} from '../common.js';
            import {own} from './own.js';
            export async function two() {
                return own + common;
            }

            """,
            "two/own.js": "export const own = 1;\n",
        ])
        #expect(
            Set(files.keys) == [
                "index.html", "main.js", "other.js", "page.js", "shared.js", "style.css",
            ])
        let main = try #require(files["main.js"])
        #expect(main.contains("a(import('./page.js').then((chunk) => chunk.$one_page), "))
        #expect(main.hasSuffix("export {$a};\n"))
        let shared = try #require(files["shared.js"])
        #expect(shared.hasPrefix("import {$a} from './main.js';\nconst $common = "))
        #expect(shared.hasSuffix("export {$common};\n"))
        let other = try #require(files["other.js"])
        #expect(other.hasPrefix("import {$common} from './shared.js';\nconst $two_own = "))
        #expect(other.hasSuffix("export {$two_other};\n"))
    }

    @Test func styleSheetsBecomeOneInTheOrderOfTheIndex() throws {
        let files = try bundle([
            "index.html": Self.index, "icon.svg": "<svg/>", "main.js": "",
            "list/list.css": "b {}\n", "base.css": "/* Base,\n first. */\na {}\n",
        ])
        #expect(files["style.css"] == "a {}\nb {}\n")
        #expect(files["icon.svg"] == "<svg/>")
        #expect(
            files["index.html"] == """
                <link rel="icon" href="icon.svg">
                <link rel="stylesheet" href="style.css">
                <script type="module" src="main.js"></script>

                """)
    }

    @Test(arguments: [
        (["main.js": "import x from './a.js';\n"], "main.js: \"import x from './a.js';\" cannot"),
        (["main.js": "export let number = 1;\n"], "main.js: \"export let number = 1;\" cannot"),
        (["main.js": "export {a};\n"], "main.js: \"export {a};\" cannot"),
        (["main.js": "import {a} from './a.js';\n"], "main.js: there is no module a.js."),
        (
            ["main.js": "import {a} from '../a.js';\n"],
            "main.js: '../a.js' is outside of the pages."
        ),
        (["main.js": "import('./a.js');\n"], "main.js: there is no module a.js."),
        (
            ["main.js": "import {a} from './a.js';\n", "a.js": "export const b = 1;\n"],
            "main.js: a.js does not export a."
        ),
        (
            [
                "main.js": "import {a} from './a.js';\n",
                "a.js": "import {b} from './b.js';\nexport const a = 1;\n",
                "b.js": "import {a} from './a.js';\nexport const b = 1;\n",
            ], "main.js imports a.js imports b.js imports a.js: break the cycle."
        ),
        (["main.js": "", "a.js": ""], "a.js: no module imports it. Remove it."),
        (["main.js": "", "a.css": ""], "a.css: index.html does not link it. Link or remove it."),
        (
            ["index.html": "<link rel=\"stylesheet\" href=\"a.css\">\n", "main.js": ""],
            "index.html: there is no style sheet a.css."
        ),
        (
            ["main.js": "", "a/x.svg": "", "b/x.svg": ""],
            "b/x.svg: another folder has a file of this name."
        ),
        ([:], "index.html: there is no module main.js."),
    ])
    func whatCannotBeBundledIsNamed(sources: [String: String], start: String) {
        let error = #expect(throws: PageBundleError.self) { try bundle(sources) }
        #expect(error?.description.hasPrefix(start) == true, "\(error?.description ?? "")")
    }

    @Test func entriesOfOneNameAreRefused() {
        let error = #expect(throws: PageBundleError.self) {
            try bundle([
                "main.js": "import('./a/page.js'); import('./b/page.js');\n", "a/page.js": "",
                "b/page.js": "",
            ])
        }
        #expect(error?.description.contains("b/page.js") == true)
    }
}
