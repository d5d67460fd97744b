// A worker with the runtime of the folder of a tab, as the seat's own, that hears recorded hands: one for each message.
// It answers with the seconds on the clock that it took, and the bytes of its memory.
const runtime = new URL(`/${self.name}/`, self.location.origin).href;
const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
const bytes = async (address) => new Uint8Array(await (await fetch(address)).arrayBuffer());
const python = await loadPyodide({ indexURL: runtime, stdLibURL: `${runtime}python_stdlib.zip`, env: { HOME: "/" } });
python.unpackArchive(await bytes(`${runtime}seat.zip`), "zip", { extractDir: "/lib/python3.14/site-packages" });
python.FS.mkdir("/here");
for (const [name, address] of [["hands.py", "/bench/hands.py"], ["frames", "/frames/frames"]]) python.FS.writeFile(`/here/${name}`, await bytes(address));
python.runPython(`
import sys
sys.path.insert(0, "/here")
import hands
steps = hands.replay_frames("/here")
`);
self.onmessage = () => {
  const began = performance.now();
  python.runPython("next(steps)");
  self.postMessage({ seconds: (performance.now() - began) / 1e3, memory: python._module.HEAP8.length });
};
self.postMessage({ is: "ready" });
