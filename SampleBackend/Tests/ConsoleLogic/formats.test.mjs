import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';

const formats = new URL('../../Sources/Console/Pages/text/formats.js', import.meta.url).href;

/** The texts of a browser with some languages, in a process with the first one's formats. */
function texts(...languages) {
    const script = `
        Object.defineProperty(globalThis, 'navigator', {value: {languages: ${JSON.stringify(languages)}}});
        globalThis.document = {documentElement: {lang: 'en'}};
        const {count, percentText, dateText, relativeTime} = await import('${formats}');
        console.log(JSON.stringify([count(1234, 'change'), percentText(0.125),
            dateText('2026-11-27T15:04:00Z'),
            relativeTime('2026-11-27T15:04:00Z', Date.parse('2026-11-30T15:04:00Z'))]
            .map((text) => text.replaceAll(/\\s/g, ' '))));`;
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script],
        {encoding: 'utf8', env: {...process.env, LC_ALL: languages[0].replace('-', '_'), TZ: 'UTC'}}));
}

for (const [languages, expected] of [
    [['en-US'], ['1,234 changes', '12.5%', 'Nov 27, 2026, 3:04 PM', '3d ago']],
    [['en-GB'], ['1,234 changes', '12.5%', '27 Nov 2026, 15:04', '3 days ago']],
    // The hours of the browser, in the words and digits of the page.
    [['de-DE'], ['1,234 changes', '12.5%', 'Nov 27, 2026, 15:04', '3d ago']],
    [['ar-EG', 'en-GB'], ['1,234 changes', '12.5%', '27 Nov 2026, 03:04 pm', '3 days ago']],
]) {
    test(`numbers and times are in the language of the page for ${languages}`, () => {
        assert.deepEqual(texts(...languages), expected);
    });
}
