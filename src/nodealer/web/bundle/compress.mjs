// Usage: node compress.mjs FOLDER CACHE. Writes FILE.br beside every file below FOLDER, with brotli's strongest
// compression; equal files give equal bytes. That is slow, so CACHE keeps the results by the hash of their input.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const [folder, cache] = process.argv.slice(2);
mkdirSync(cache, { recursive: true });
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = `${entry.parentPath ?? entry.path}/${entry.name}`;
  const data = readFileSync(path);
  const cached = `${cache}/${createHash("sha256").update(data).digest("hex")}`;
  if (!existsSync(cached)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: data.length };
    writeFileSync(cached, brotliCompressSync(data, { params }));
  }
  writeFileSync(`${path}.br`, readFileSync(cached));
}
