#!/usr/bin/env node
// node verifier/judge.mjs FILE… : one JSON line for each, all in one process.
import { readFileSync } from 'node:fs';
import { EXIT, verifyBytes } from './verify.mjs';

for (const file of process.argv.slice(2)) {
  const report = verifyBytes(readFileSync(file));
  console.log(JSON.stringify({ file, exit: EXIT[report.verdict], ...report }));
}
