// Call kernels of a WebAssembly library outside of any browser: node run_kernels.mjs LIBRARY CALLS
//
// CALLS is a JSON of [{symbol, arguments: [{bytes} or {number, kind}]}]; what each call leaves in
// its arrays, and its result, is printed as JSON.

import fs from "node:fs";

const [library, calls] = process.argv.slice(2);
const HEAP = 1 << 20, ALIGN = 64, PAGE = 1 << 16;
const memory = new WebAssembly.Memory({ initial: 512, maximum: 16384 });
const stack = new WebAssembly.Global({ value: "i32", mutable: true }, HEAP); // grows downwards
const base = new WebAssembly.Global({ value: "i32", mutable: false }, HEAP);
const table = new WebAssembly.Global({ value: "i32", mutable: false }, 0);
const module = new WebAssembly.Module(fs.readFileSync(library));
const { exports } = new WebAssembly.Instance(module, {
  env: { memory, __stack_pointer: stack, __memory_base: base, __table_base: table },
});
exports.__wasm_apply_data_relocs?.();
const heap = 2 * HEAP; // above the data of the library

const results = JSON.parse(fs.readFileSync(calls)).map(({ symbol, arguments: given }) => {
  let free = heap;
  const arrays = [];
  const values = given.map(({ bytes, number, kind }) => {
    if (bytes === undefined) return kind === "i64" ? BigInt(number) : Number(number);
    const data = Buffer.from(bytes, "base64"), at = free;
    free = Math.ceil((free + data.length + 1) / ALIGN) * ALIGN;
    const missing = free - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    new Uint8Array(memory.buffer).set(data, at);
    arrays.push([at, data.length]);
    return at;
  });
  const result = exports[symbol](...values);
  return {
    result: result === undefined ? null : String(result),
    arrays: arrays.map(([at, size]) => Buffer.from(memory.buffer, at, size).toString("base64")),
  };
});
console.log(JSON.stringify(results));
