// Browser APIs that the console uses, and this compiler's declarations lack.

interface HTMLElement {
    showPopover(options?: {source: HTMLElement}): void;
    hidePopover(): void;
}

interface Element {
    checkVisibility(): boolean;
}

interface ToggleEvent extends Event {
    readonly newState: 'open' | 'closed';
}

interface URLSearchParams {
    readonly size: number;
}

interface ErrorWithIndex extends SyntaxError {
    /** Index of the character at which the text ceases to be valid JSON. */
    index?: number;
}

interface RegExpMatchArray {
    /** Ranges of the groups, with the flag `d`. */
    indices?: [start: number, end: number][];
}

declare namespace Intl {
    function supportedValuesOf(key: 'timeZone'): string[];
}
