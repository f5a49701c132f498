// Runs a program of Embedded Swift for wasm32 with the few functions of C that it calls.
import { readFileSync } from "node:fs";

let program;
const memory = () => new DataView(program.exports.memory.buffer);
const bytes = () => new Uint8Array(program.exports.memory.buffer);

let heapEnd = 0;
function allocate(alignment, size) {
    heapEnd ||= program.exports.__heap_base.value;
    const start = Math.ceil(heapEnd / alignment) * alignment;
    heapEnd = start + size;
    const missing = heapEnd - memory().byteLength;
    if (missing > 0) program.exports.memory.grow(Math.ceil(missing / 65536));
    return start;
}

function text(start) {
    const end = bytes().indexOf(0, start);
    return new TextDecoder().decode(bytes().subarray(start, end));
}

let line = "";
const env = {
    putchar(character) {
        if (character !== 10) line += String.fromCharCode(character);
        else {
            console.log(line);
            line = "";
        }
        return character;
    },
    posix_memalign(result, alignment, size) {
        // First, since memory that grows is another buffer.
        const start = allocate(alignment, size);
        memory().setUint32(result, start, true);
        return 0;
    },
    // The program is over soon.
    free() {},
    memcmp(left, right, count) {
        for (let index = 0; index < count; index++) {
            const difference = bytes()[left + index] - bytes()[right + index];
            if (difference !== 0) return difference;
        }
        return 0;
    },
    arc4random_buf(start, count) {
        crypto.getRandomValues(bytes().subarray(start, start + count));
    },
    // Where the number ends, or 0 when there is none.
    _swift_stdlib_strtod_clocale(start, result) {
        const number = text(start);
        const value = number.trim() === number && number !== "" ? Number(number) : NaN;
        memory().setFloat64(result, value, true);
        return Number.isNaN(value) ? 0 : bytes().indexOf(0, start);
    },
    // The product of two numbers of 128 bits.
    __multi3(result, leftLow, leftHigh, rightLow, rightHigh) {
        const join = (low, high) => BigInt.asUintN(64, low) | (BigInt.asUintN(64, high) << 64n);
        const product = join(leftLow, leftHigh) * join(rightLow, rightHigh);
        memory().setBigUint64(result, BigInt.asUintN(64, product), true);
        memory().setBigUint64(result + 8, BigInt.asUintN(64, product >> 64n), true);
    },
    __stack_chk_fail() {
        throw new Error("The stack is damaged.");
    },
};

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
program = new WebAssembly.Instance(module, { env });
program.exports.__main_argc_argv(0, 0);
