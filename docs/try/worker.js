// The worker: Python for browsers with Prowess in it. It runs one act at a time.
const STEPS = 4;
let python = null, answer = null;

const tell = (doing, step) => postMessage({ doing, share: step / STEPS });

async function start(base) {
  // The interpreter and its library are kept packed, so that a server that packs nothing will do.
  const plain = self.fetch.bind(self);
  self.fetch = async (address, ...more) => {
    const name = String(address.url ?? address);
    if (!/\.(wasm|zip)$/.test(name)) return plain(address, ...more);
    const { body } = await plain(`${name}.gz`);
    return new Response(body.pipeThrough(new DecompressionStream("gzip")), {
      headers: { "Content-Type": name.endsWith("m") ? "application/wasm" : "application/zip" },
    });
  };
  tell("Loading Python ...", 0);
  const library = plain(`${base}library.tar.gz`).then((file) => file.arrayBuffer());
  python = await loadPyodide({ indexURL: base, stdLibURL: `${base}standard.zip` });
  tell("Loading Prowess ...", 1);
  python.unpackArchive(await library, "gztar", { extractDir: "/lib" });
  tell("Starting Prowess ...", 2);
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
    started = start(data.base);
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
