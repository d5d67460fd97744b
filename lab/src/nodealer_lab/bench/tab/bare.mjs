// A worker with the unmodified npm package.
import { loadPyodide } from "/bare/pyodide.mjs";

await loadPyodide({ indexURL: "/bare/" });
self.postMessage({ is: "ready" });
