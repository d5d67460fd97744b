// Writes FILE.br beside every file below FOLDER: the same bytes for the same file, as small as brotli makes it. What was
// compressed before is in CACHE, by its hash: it takes a while.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const [folder, cache] = process.argv.slice(2);
mkdirSync(cache, { recursive: true });
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = `${entry.parentPath ?? entry.path}/${entry.name}`;
  const data = readFileSync(path);
  const kept = `${cache}/${createHash("sha256").update(data).digest("hex")}`;
  if (!existsSync(kept)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: data.length };
    writeFileSync(kept, brotliCompressSync(data, { params }));
  }
  writeFileSync(`${path}.br`, readFileSync(kept));
}
