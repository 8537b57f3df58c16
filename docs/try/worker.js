// The worker: Python for browsers with Prowess in it. It runs one act at a time.
const STEPS = 2;
let python = null, answer = null;

const tell = (doing, step) => postMessage({ doing, share: step / STEPS });

// The files of a tar archive get their places; what is in them is not copied.
function layOut(files, folder, archive) {
  const text = (from, size) => new TextDecoder().decode(archive.subarray(from, from + size)).replace(/\0.*/s, "");
  for (let at = 0, size; archive[at]; at += Math.ceil(size / 512) * 512) {
    const path = `${folder}/${text(at, 100)}`;
    size = parseInt(text(at + 124, 12), 8);
    at += 512;
    files.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    files.writeFile(path, archive.subarray(at, at + size), { canOwn: true });
  }
}

const plain = self.fetch.bind(self);

// At a first visit files come packed, so that a server that packs nothing will do.
async function load(name, packed) {
  if (!packed) return plain(name);
  const { body } = await plain(`${name}.gz`);
  const headers = name.endsWith(".wasm") ? { "Content-Type": "application/wasm" } : {};
  return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers });
}

async function start(base, packed) {
  self.fetch = (address, ...more) => {
    const name = String(address.url ?? address);
    return /\.(wasm|zip)$/.test(name) ? load(name, packed) : plain(address, ...more);
  };
  tell("Loading Python ...", 0);
  const library = load(`${base}library.tar`, packed).then((file) => file.arrayBuffer());
  const fsInit = async (files) => layOut(files, "/lib", new Uint8Array(await library));
  python = await loadPyodide({ indexURL: base, stdLibURL: `${base}standard.zip`, fsInit });
  tell("Starting Prowess ...", 1);
  python.runPython(`
import gc, os
os.environ["PROWESS_CACHE"] = "off"
gc.set_threshold(50_000)
from pathlib import Path
from prowess.verbs.browser import Visit, answer
visit = None

def open_file(name):
    global visit
    visit = Visit(Path(Path(name).name))

def ask(act, given):
    return answer(visit, act, given)
`);
  answer = python.globals.get("ask");
  tell("Ready.", STEPS);
}

let started = null;
onmessage = async ({ data }) => {
  if (data.base) {
    started = start(data.base, data.packed);
    started.catch(() => {});
    return;
  }
  try {
    await started;
    if (data.content) {
      const name = data.name.replaceAll("/", "_");
      python.FS.writeFile(name, new Uint8Array(data.content));
      python.globals.get("open_file")(name);
      postMessage({ id: data.id, answer: null });
    } else postMessage({ id: data.id, answer: JSON.parse(answer(data.act, data.given)) });
  } catch (error) {
    const lines = String(error.message).trim().split("\n");
    postMessage({ id: data.id, failed: lines[lines.length - 1] });
  }
};
