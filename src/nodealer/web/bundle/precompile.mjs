// Usage: node precompile.mjs FOLDER PYODIDE. Compiles every Python file below FOLDER with the Python that will run it, with
// asserts on, and deletes the source. The bytecode is marked as never to be compared with its source, which a tab lacks.
import { pathToFileURL } from "node:url";

const [folder, pyodideFolder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodideFolder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: pyodideFolder, env: { HOME: "/", PYTHONHASHSEED: "0" } });
python.mountNodeFS("/stage", folder);
// By default Node would print the whole runtime above the message.
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
const count = python.runPython(`
import ast, importlib.util, marshal, os, sys

if not __debug__:
    raise SystemExit("asserts are off, but rules depend on them")

def strip_docstrings(tree):
    """Remove the docstrings of functions. Those of classes stay, because a dataclass without one generates another."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            rest = node.body[1:]
            node.body = rest or [ast.copy_location(ast.Pass(), node.body[0])]
    return tree

count = 0
for root, folders, files in os.walk("/stage"):
    folders.sort()
    for name in sorted(files):
        if not name.endswith(".py"):
            continue
        path = os.path.join(root, name)
        with open(path, "rb") as file:
            source = file.read()
        where = path.removeprefix("/stage/").partition("/")[2]
        code = compile(strip_docstrings(ast.parse(source)), where, "exec", dont_inherit=True, optimize=0)
        # The header: the flag for bytecode that is never checked against its source, and the hash of the source.
        head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(source)
        with open(path + "c", "wb") as file:
            file.write(head + marshal.dumps(code))
        os.remove(path)
        count += 1
count
`);
process.stdout.write(`${count}\n`);
