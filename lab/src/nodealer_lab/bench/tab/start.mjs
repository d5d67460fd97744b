// Starts Python in Node. FOLDER bare: the unmodified npm package. FOLDER: the bundle, until a seat could begin. FOLDER
// hands HERE FRAMES: the bundle, and hands.py on recorded frames: prints what that says of the first hands, waits for a
// word, hears the others, and prints the memory.
import { readFileSync, readdirSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, what, here, frames] = process.argv.slice(2);
const bundled = what !== "bare";
const runtime = bundled ? `${folder}/runtime/${readdirSync(`${folder}/runtime`)[0]}` : folder;
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: runtime, env: { HOME: "/" } });
if (bundled) {
  python.unpackArchive(new Uint8Array(readFileSync(`${runtime}/seat.zip`)), "zip", { extractDir: "/lib/python3.14/site-packages" });
  python.pyimport("nodealer.web.tab.worker");
}
if (what === "hands") {
  python.mountNodeFS("/here", here);
  python.mountNodeFS("/frames", frames);
  const told = python.runPython(`
import sys
sys.path.insert(0, "/here")
import js, json, hands
def cpu():
    used = js.process.cpuUsage()
    return (used.user + used.system) / 1e6
steps = hands.replay_frames("/frames")
json.dumps(hands.replay(steps, cpu))
`);
  writeSync(1, `${told}\n`);
  await new Promise((told) => process.stdin.once("readable", told));
  python.runPython("for _ in steps: pass");
  writeSync(1, JSON.stringify({ memory: python._module.HEAP8.length }));
}
process.exit(0);
