// The APIs of CodeMirror that the console uses, which is embedded unchanged and not typechecked.

interface CodeMirrorPlace {
    line: number;
    ch: number;
}

interface CodeMirrorMark {
    clear(): void;
}

interface CodeMirrorDocument {
    getValue(): string;
    posFromIndex(index: number): CodeMirrorPlace;
    markText(from: CodeMirrorPlace, to: CodeMirrorPlace, options: {className: string}): CodeMirrorMark;
}

export interface CodeMirrorEditor {
    getInputField(): HTMLElement;
    getDoc(): CodeMirrorDocument;
    getValue(): string;
    setValue(text: string): void;
    focus(): void;
    on(event: 'change', listener: () => void): void;
    addLineClass(line: number, where: 'background', name: string): object;
    removeLineClass(line: object, where: 'background', name: string): void;
    setGutterMarker(line: number, gutter: string, marker: HTMLElement): void;
    clearGutter(gutter: string): void;
}

declare global {
    /** The library, once its script has run. */
    var CodeMirror: {
        fromTextArea(textarea: HTMLTextAreaElement, options: object): CodeMirrorEditor;
    };
}
