// Usage: node run.mjs FOLDER [NAME=FOLDER ...]. Runs a Python program from standard input in the bundle FOLDER, as a worker
// would, with each other folder mounted as /NAME. What it prints is printed.
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, ...mounts] = process.argv.slice(2);
const runtime = `${folder}/runtime/${readdirSync(`${folder}/runtime`)[0]}`;
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: runtime, env: { HOME: "/" } });
python.unpackArchive(new Uint8Array(readFileSync(`${runtime}/seat.zip`)), "zip", { extractDir: "/lib/python3.14/site-packages" });
for (const mount of mounts) {
  const [name, place] = mount.split("=");
  python.mountNodeFS(`/${name}`, place);
}
await python.runPythonAsync(readFileSync(0, "utf8"));
