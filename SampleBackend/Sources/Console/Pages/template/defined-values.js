/**
 * Values of signals that have names, such as countries, and the value that a typed name or an
 * outdated code stands for. Rules of conditions and the signals of a user share them.
 */

import {countryCode} from './country-codes.js';

/** Codes of regions that are not countries. */
const noPlaces = new Set(['ZZ', 'XA', 'XB', 'EU', 'EZ', 'UN', 'QO']);

/**
 * Time zones that browsers list by their former name, as pairs of that and the current one of the
 * time zone database.
 */
const renamedZones = new Map([
    ['Africa/Asmera', 'Africa/Asmara'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Catamarca', 'America/Argentina/Catamarca'],
    ['America/Coral_Harbour', 'America/Atikokan'],
    ['America/Cordoba', 'America/Argentina/Cordoba'],
    ['America/Godthab', 'America/Nuuk'],
    ['America/Indianapolis', 'America/Indiana/Indianapolis'],
    ['America/Jujuy', 'America/Argentina/Jujuy'],
    ['America/Louisville', 'America/Kentucky/Louisville'],
    ['America/Mendoza', 'America/Argentina/Mendoza'],
    ['Asia/Calcutta', 'Asia/Kolkata'], ['Asia/Katmandu', 'Asia/Kathmandu'],
    ['Asia/Rangoon', 'Asia/Yangon'], ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
    ['Atlantic/Faeroe', 'Atlantic/Faroe'], ['Europe/Kiev', 'Europe/Kyiv'],
    ['Pacific/Enderbury', 'Pacific/Kanton'], ['Pacific/Ponape', 'Pacific/Pohnpei'],
    ['Pacific/Truk', 'Pacific/Chuuk'],
]);

/** @param {'region' | 'language'} type */
const kindOf = (type) => ({type, fallback: /** @type {const} */ ('none')});

const canonical = {
    /** @param {string} code */
    region: (code) => new Intl.Locale(`und-${code}`).region ?? code,
    /** @param {string} code */
    language: (code) => new Intl.Locale(code).language ?? code,
};

/**
 * Current codes for the two-letter codes that `Intl` knows, with their names. `aliases` are the
 * current codes by the outdated code, and by the name in the browser's language and in English, in
 * lower case. `Intl` names outdated codes too, such as DD for Germany, which no device sends.
 *
 * @param {'region' | 'language'} type
 * @returns {{values: Choice[], aliases: Map<string, string>}}
 */
function namedCodes(type) {
    const names = new Intl.DisplayNames(undefined, kindOf(type));
    const english = new Intl.DisplayNames('en', kindOf(type));
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    /** @type {Map<string, string>} */
    const named = new Map();
    /** @type {Map<string, string>} */
    const aliases = new Map();
    for (const letter of letters.flatMap((first) => letters.map((second) => first + second))) {
        const given = type === 'region' ? letter.toUpperCase() : letter;
        const code = canonical[type](given);
        const name = names.of(code);
        if (!names.of(given) || !name || noPlaces.has(code)) continue;
        named.set(code, name);
        aliases.set(letter, code);
        aliases.set((english.of(code) ?? name).toLowerCase(), code);
    }
    for (const [code, name] of named) aliases.set(name.toLowerCase(), code);
    return {aliases, values: /** @type {Choice[]} */ ([...named])
        .sort(([, a], [, b]) => a.localeCompare(b))};
}

/**
 * Time zones by their current names; the former name of a renamed one is its second name.
 *
 * @returns {{values: Choice[], aliases: Map<string, string>}}
 */
function timeZones() {
    const zones = Intl.supportedValuesOf('timeZone');
    const names = new Map([['GMT', ''], ['UTC', ''],
        ...zones.map((zone) => /** @type {Choice} */ ([renamedZones.get(zone) ?? zone,
            renamedZones.has(zone) ? zone : '']))]);
    return {values: [...names], aliases: new Map()};
}

/** Languages, and the scripts of Chinese, which Apple's devices send in place of a region. */
function languages() {
    const {values, aliases} = namedCodes('language');
    const names = new Intl.DisplayNames(undefined, kindOf('language'));
    const scripts = ['zh-Hans', 'zh-Hant'].map((tag) => /** @type {Choice} */ (
        [tag, names.of(tag) ?? '']));
    return {values: [...values, ...scripts], aliases};
}

/** @type {Choice[]} */
const systems = [['ios', 'iOS and iPadOS'], ['macos', 'macOS'], ['tvos', 'tvOS'],
    ['watchos', 'watchOS'], ['visionos', 'visionOS'], ['android', 'Android'], ['linux', 'Linux'],
    ['windows', 'Windows']];

/** @type {Record<string, () => {values: Choice[], aliases: Map<string, string>}>} */
const makers = {
    'device.country': () => namedCodes('region'),
    'device.language': languages,
    'device.os': () => ({values: systems, aliases: new Map()}),
    timeZone: timeZones,
};

/** @type {Map<string, {values: Choice[], aliases: Map<string, string>}>} */
const made = new Map();

/** @param {string} element */
function definedOf(element) {
    const known = made.get(element) ?? makers[element]?.() ?? {values: [], aliases: new Map()};
    made.set(element, known);
    return known;
}

/**
 * Predefined values of a field, as `[value, name]` pairs; empty for free text.
 *
 * @param {string} element
 * @returns {Choice[]}
 */
export function definedValues(element) {
    return definedOf(element).values;
}

/**
 * Name of a value; empty for a value without one.
 *
 * @param {string} element
 * @param {string} value
 */
export function valueName(element, value) {
    const defined = definedValues(element).find(([other]) => other === value)?.[1];
    if (defined !== undefined || element !== 'device.language') return defined ?? '';
    try {
        return new Intl.DisplayNames(undefined, kindOf('language')).of(value) ?? '';
    } catch {
        return '';
    }
}

/**
 * Suggestions for the values of a rule, as `[value, name]` pairs; `known` are `KnownSignals`.
 *
 * @param {Pick<RuleView, 'element' | 'key'>} rule
 * @param {?KnownSignals} [known]
 * @returns {Choice[]}
 */
export function suggestedValues({element, key}, known) {
    const defined = definedValues(element);
    const isSignal = ['app.customSignal', 'version'].includes(element);
    const used = known?.values(element, isSignal ? key : undefined) ?? [];
    return [...defined, ...used.filter((value) => !defined.some(([other]) => other === value))
        .map((value) => /** @type {Choice} */ ([value, valueName(element, value)]))];
}

/**
 * Current tag of a language with a region or script, such as `pt-BR` for `pt_br`; null for other
 * texts. Apple's devices send the script of Chinese, so `zh-CN` is `zh-Hans`.
 *
 * @param {string} text
 */
function languageTag(text) {
    try {
        const locale = new Intl.Locale(text.replaceAll('_', '-'));
        return definedValues('device.language').some(([code]) => code === locale.language)
            ? withScript(locale).baseName : null;
    } catch {
        return null;
    }
}

/**
 * Tag of Chinese with its script, without a region that the script implies.
 *
 * @param {Intl.Locale} locale
 */
function withScript(locale) {
    if (locale.language !== 'zh' || locale.script || !locale.region) return locale;
    const {language, script, region} = locale.maximize();
    return new Intl.Locale(script === 'Hans' || region === 'TW'
        ? `${language}-${script}` : `${language}-${script}-${region}`);
}

/**
 * Value that a text represents: "Germany", "Deutschland", "de", "DEU" and the outdated DD mean the
 * country DE, unless clients send what was typed.
 *
 * @param {Pick<RuleView, 'element' | 'key'>} rule
 * @param {string} text
 * @param {?KnownSignals} [known]
 */
export function meantValue(rule, text, known) {
    if (!text) return text;
    const lower = text.toLowerCase();
    const values = suggestedValues(rule, known);
    const found = values.find(([value]) => value === text) ?? values.find(([value, name]) => (
        value.toLowerCase() === lower || name.toLowerCase() === lower));
    if (found) return found[0];
    return definedOf(rule.element).aliases.get(lower)
        ?? (rule.element === 'device.language' ? languageTag(text) : null)
        ?? (rule.element === 'device.country' ? countryCode(text) : null) ?? text;
}

/**
 * Sentence about languages of a list that have no region there, since most devices send one; null
 * when each has.
 *
 * @param {string[]} values
 */
export function missingRegions(values) {
    const bare = values.find((value) => languageTag(value) && !/[-_]/.test(value)
        && !values.some((other) => other.startsWith(`${value}-`)));
    return bare === undefined ? null
        : `Devices often send a language with its region, such as ${bare}-${
            new Intl.Locale(bare).maximize().region}: add those that you mean, `
            + 'or choose “is one of”, which includes all regions.';
}

/**
 * What each field has, and how apps send it.
 *
 * @type {Record<string, [string, string]>}
 */
const examples = {
    'device.country': ['country', 'codes such as DE'],
    'device.language': ['language', 'tags such as de or pt-BR'],
    'device.os': ['system', 'names such as ios'],
};

/**
 * Sentence about a value that no app is known to send; null for other values, and for fields of
 * free text.
 *
 * @param {Pick<RuleView, 'element' | 'key'>} rule
 * @param {string} value
 * @param {?KnownSignals} [known]
 */
export function unknownValue(rule, value, known) {
    const example = examples[rule.element];
    const isTag = rule.element === 'device.language'
        && languageTag(value)?.toLowerCase() === value.replaceAll('_', '-').toLowerCase();
    if (!example || !value || isTag) return null;
    if (suggestedValues(rule, known).some(([other]) => other === value)) return null;
    const [kind, sent] = example;
    const meant = meantValue(rule, value, known);
    return `“${value}” is not a known ${kind}: apps send ${meant === value ? sent : meant}.`;
}
